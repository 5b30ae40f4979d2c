output "address" {
  description = "Where the domain's A record must point."
  value       = google_compute_global_address.this.address
}
