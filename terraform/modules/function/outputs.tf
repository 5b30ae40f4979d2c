output "member" {
  description = "The function's account, as IAM names it."
  value       = google_service_account.this.member
}

output "account" {
  description = "Full name of the function's account."
  value       = google_service_account.this.name
}

output "account_id" {
  value = google_service_account.this.account_id
}

output "function" {
  value = google_cloudfunctions2_function.this
}

output "invokers" {
  value = var.invokers
}
