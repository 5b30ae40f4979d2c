resource "google_billing_budget" "monthly" {
  count = var.budget == null ? 0 : 1

  billing_account = var.budget.billing_account
  display_name    = "Watchpost ${var.environment}"

  budget_filter {
    projects        = ["projects/${data.google_project.this.number}"]
    calendar_period = "MONTH"
  }

  amount {
    specified_amount {
      currency_code = var.budget.currency
      units         = tostring(floor(var.budget.amount))
    }
  }

  dynamic "threshold_rules" {
    for_each = [
      { share = 0.5, basis = "CURRENT_SPEND" },
      { share = 0.9, basis = "CURRENT_SPEND" },
      { share = 1.0, basis = "CURRENT_SPEND" },
      { share = 1.1, basis = "FORECASTED_SPEND" },
    ]

    content {
      threshold_percent = threshold_rules.value.share
      spend_basis       = threshold_rules.value.basis
    }
  }

  all_updates_rule {
    monitoring_notification_channels = values(google_monitoring_notification_channel.email)[*].id
    disable_default_iam_recipients   = false
  }

  depends_on = [google_project_service.this]
}
