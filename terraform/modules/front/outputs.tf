output "address" {
  description = "Where the domain's A record must point."
  value       = google_compute_global_address.this.address
}

output "routes" {
  description = "Which paths the functions and the console's page answer; the bucket answers the rest."
  value       = google_compute_url_map.https.path_matcher[0].route_rules
}
