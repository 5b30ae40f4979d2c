resource "google_monitoring_notification_channel" "email" {
  for_each = toset(var.notify.emails)

  display_name = each.key
  type         = "email"
  labels       = { email_address = each.key }

  depends_on = [google_project_service.this]
}

locals {
  emails = values(google_monitoring_notification_channel.email)[*].id
  # Critical alerts call somebody at once. Others can wait until the morning.
  channels = {
    CRITICAL = concat(local.emails, var.notify.pagers)
    ERROR    = local.emails
    WARNING  = local.emails
  }
}
