# The service's objectives over 28 days, with two alert policies for each: one for a budget that is used up fast, one for slow use.
locals {
  requests_of = { for name in keys(local.reads) : name => "resource.type=\"cloud_run_revision\" AND resource.labels.service_name=\"${name}\"" }

  objectives = {
    api-availability = {
      title = "API calls without an error of ours", goal = 0.999, function = "api", longest_ms = null
    }
    ingest-availability = {
      title = "Reports taken at the first try", goal = 0.999, function = "ingest", longest_ms = null
    }
    ingest-latency = {
      title = "Reports handled within a second", goal = 0.99, function = "ingest", longest_ms = 1000
    }
    deadline-availability = {
      title = "Deadlines handled at the first try", goal = 0.999, function = "deadline", longest_ms = null
    }
    deliver-availability = {
      title = "Attempts made and recorded, whatever the receiver says", goal = 0.999, function = "deliver", longest_ms = null
    }
  }

  # Rates and windows of the multiwindow, multi-burn-rate alerts of Google's SRE workbook, chapter 5: 2 % of the budget in an hour, 5 % in six.
  burns = {
    fast = { rate = 14.4, long = "3600s", short = "300s", severity = "CRITICAL" }
    slow = { rate = 6, long = "21600s", short = "1800s", severity = "ERROR" }
  }

  burn_policies = {
    for pair in setproduct(keys(local.objectives), keys(local.burns)) : "${pair[0]}-${pair[1]}" => {
      objective = pair[0]
      speed     = pair[1]
      burn      = local.burns[pair[1]]
    }
  }
}

resource "google_monitoring_custom_service" "function" {
  for_each = toset([for objective in values(local.objectives) : objective.function])

  service_id   = "watchpost-${each.key}"
  display_name = "Watchpost ${each.key}"

  depends_on = [google_project_service.this]
}

resource "google_monitoring_slo" "this" {
  for_each = local.objectives

  service             = google_monitoring_custom_service.function[each.value.function].service_id
  slo_id              = each.key
  display_name        = each.value.title
  goal                = each.value.goal
  rolling_period_days = 28

  request_based_sli {
    dynamic "good_total_ratio" {
      for_each = each.value.longest_ms == null ? [local.requests_of[each.value.function]] : []

      content {
        total_service_filter = "metric.type=\"run.googleapis.com/request_count\" AND ${good_total_ratio.value}"
        bad_service_filter   = "metric.type=\"run.googleapis.com/request_count\" AND ${good_total_ratio.value} AND metric.labels.response_code_class=\"5xx\""
      }
    }

    dynamic "distribution_cut" {
      for_each = each.value.longest_ms == null ? [] : [local.requests_of[each.value.function]]

      content {
        distribution_filter = "metric.type=\"run.googleapis.com/request_latencies\" AND ${distribution_cut.value}"

        range {
          max = each.value.longest_ms
        }
      }
    }
  }
}

resource "google_monitoring_alert_policy" "burn" {
  for_each = local.burn_policies

  display_name          = "Watchpost: ${local.objectives[each.value.objective].title}: the error budget burns ${each.value.burn.rate} times too fast"
  combiner              = "AND"
  severity              = each.value.burn.severity
  notification_channels = local.channels[each.value.burn.severity]

  dynamic "conditions" {
    for_each = [each.value.burn.long, each.value.burn.short]

    content {
      display_name = "Over ${conditions.value}"

      condition_threshold {
        filter          = "select_slo_burn_rate(\"${google_monitoring_slo.this[each.value.objective].id}\", \"${conditions.value}\")"
        comparison      = "COMPARISON_GT"
        threshold_value = each.value.burn.rate
        duration        = "0s"
      }
    }
  }

  documentation {
    mime_type = "text/markdown"
    content   = "The promise `${each.value.objective}` will not hold at this rate.\n\n${local.runbook["error-budget"]}"

    links {
      display_name = "Runbook"
      url          = "${local.runbook_url}#error-budget"
    }
  }
}
