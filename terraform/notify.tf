resource "google_monitoring_notification_channel" "email" {
  for_each = toset(var.notify.emails)

  display_name = each.key
  type         = "email"
  labels       = { email_address = each.key }

  depends_on = [google_project_service.this]
}

locals {
  emails = values(google_monitoring_notification_channel.email)[*].id
  # What is critical wakes somebody; the rest waits for the morning.
  channels = {
    CRITICAL = concat(local.emails, var.notify.pagers)
    ERROR    = local.emails
    WARNING  = local.emails
  }
}
