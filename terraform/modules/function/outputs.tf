output "function" {
  value = google_cloudfunctions2_function.this
}

output "invokers" {
  value = var.invokers
}
