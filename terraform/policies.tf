# What each policy says to those who are called: its own section of docs/runbook.md, from which `npm run gen` makes this file.
locals {
  runbook_url = coalesce(var.runbook_url, "${local.base_url}/docs/runbook")
  runbook     = jsondecode(file("${path.module}/runbook.json"))
}

# All alert policies in one table. Each entry has a section with the same name in docs/runbook.md.
locals {
  # The contract's latency thresholds. A test compares them with the code's.
  latency_thresholds_ms = {
    database = { warning = 100, critical = 500 }
    mqtt     = { warning = 50, critical = 200 }
    storage  = { warning = 200, critical = 1000 }
    auth     = { warning = 100, critical = 500 }
  }

  latency_policies = {
    for pair in setproduct(keys(local.latency_thresholds_ms), ["warning", "critical"]) : "${pair[0]}-latency-${pair[1]}" => {
      title     = "${pair[0]} answers in more than ${local.latency_thresholds_ms[pair[0]][pair[1]]} ms"
      runbook   = "dependency-latency"
      severity  = upper(pair[1])
      filter    = "metric.type=\"logging.googleapis.com/user/${google_logging_metric.check_latency.name}\" AND resource.type=\"cloud_run_revision\" AND metric.labels.check=\"${pair[0]}\""
      aligner   = "ALIGN_PERCENTILE_95"
      reducer   = "REDUCE_MAX"
      period    = 300
      threshold = local.latency_thresholds_ms[pair[0]][pair[1]]
      # One slow check is normal. A critical latency that lasts is not.
      duration = pair[1] == "critical" ? 300 : 900
    }
  }

  probe_policies = {
    for name in keys(local.probes) : "${name}-probe" => {
      title     = "/${name} fails from more than one region"
      runbook   = "${name}-probe"
      severity  = "CRITICAL"
      filter    = "metric.type=\"monitoring.googleapis.com/uptime_check/check_passed\" AND resource.type=\"uptime_url\" AND metric.labels.check_id=\"${google_monitoring_uptime_check_config.probe[name].uptime_check_id}\""
      aligner   = "ALIGN_NEXT_OLDER"
      reducer   = "REDUCE_COUNT_FALSE"
      group_by  = ["resource.label.host"]
      period    = 1200
      threshold = 1
      duration  = 60
    }
  }

  event_metric = { for name, metric in google_logging_metric.event : name => "metric.type=\"logging.googleapis.com/user/${metric.name}\" AND resource.type=\"cloud_run_revision\"" }

  event_policies = {
    settings-refused   = { title = "A function refuses its settings", severity = "CRITICAL", filter = local.event_metric.settings_refused, threshold = 0, period = 60, group_by = ["metric.label.service"] }
    platform-blind     = { title = "The platform is blind: it declares no silence", severity = "CRITICAL", filter = local.event_metric.platform_blind, threshold = 0, period = 60 }
    canary-missing     = { title = "No canary ever came through a path", severity = "WARNING", filter = local.event_metric.canary_missing, threshold = 8, period = 600, group_by = ["metric.label.way"] }
    drill-broken       = { title = "A drill did not come through", severity = "ERROR", filter = local.event_metric.drill_broken, threshold = 0, period = 60, group_by = ["metric.label.hop"] }
    quarantine         = { title = "Many reports cannot be read", severity = "WARNING", filter = local.event_metric.report_quarantined, threshold = 20, period = 600, group_by = ["metric.label.reason"] }
    wakes-missed       = { title = "The sweep finds what tasks should have woken", severity = "WARNING", filter = local.event_metric.wake_missed, threshold = 5, period = 600 }
    deliveries-failing = { title = "Deliveries fail for good", severity = "ERROR", filter = "${local.event_metric.delivery_attempted} AND metric.labels.status=\"failed\"", threshold = 10, period = 600 }
    bridge-taken-over  = { title = "Two clients take a bridge's session from each other", severity = "ERROR", filter = local.event_metric.bridge_taken_over, threshold = 1, period = 600, group_by = ["metric.label.service"] }
    bridge-refused     = { title = "A bridge lost messages that Pub/Sub refuses", runbook = "messages-lost", severity = "ERROR", filter = local.event_metric.bridge_refused, threshold = 0, period = 60 }
    broker-dropped     = { title = "The broker dropped messages", runbook = "messages-lost", severity = "ERROR", filter = local.event_metric.broker_dropped, threshold = 0, period = 60 }
    endpoint-disabled  = { title = "A customer's endpoint was disabled", severity = "WARNING", filter = local.event_metric.endpoint_disabled, threshold = 0, period = 60 }
  }

  api_requests = "metric.type=\"run.googleapis.com/request_count\" AND resource.type=\"cloud_run_revision\" AND resource.labels.service_name=\"api\""

  platform_policies = {
    oldest-unacknowledged = {
      title     = "The oldest unacknowledged report is older than 2 minutes"
      severity  = "CRITICAL"
      filter    = "metric.type=\"pubsub.googleapis.com/subscription/oldest_unacked_message_age\" AND resource.type=\"pubsub_subscription\" AND resource.labels.subscription_id=\"${google_pubsub_subscription.ingest.name}\""
      aligner   = "ALIGN_MAX"
      threshold = 120
      duration  = 120
    }
    dead-letters = {
      title     = "A report went to the dead letters"
      severity  = "ERROR"
      filter    = "metric.type=\"pubsub.googleapis.com/subscription/dead_letter_message_count\" AND resource.type=\"pubsub_subscription\""
      aligner   = "ALIGN_DELTA"
      threshold = 0
    }
    dead-letters-unread = {
      title     = "Dead letters wait for their reader"
      severity  = "CRITICAL"
      filter    = "metric.type=\"pubsub.googleapis.com/subscription/num_undelivered_messages\" AND resource.type=\"pubsub_subscription\" AND resource.labels.subscription_id=\"${google_pubsub_subscription.dead_letter.name}\""
      aligner   = "ALIGN_MIN"
      threshold = 0
      duration  = 900
    }
    queue-attempts = {
      title     = "Tasks are answered with errors of ours"
      severity  = "ERROR"
      filter    = "metric.type=\"cloudtasks.googleapis.com/queue/task_attempt_count\" AND resource.type=\"cloud_tasks_queue\" AND metric.labels.response_code!=\"ok\""
      aligner   = "ALIGN_DELTA"
      group_by  = ["resource.label.queue_id"]
      threshold = 20
      duration  = 300
    }
    queue-depth = {
      title     = "A delivery queue grows"
      severity  = "ERROR"
      filter    = "metric.type=\"cloudtasks.googleapis.com/queue/depth\" AND resource.type=\"cloud_tasks_queue\" AND resource.labels.queue_id=starts_with(\"deliveries-\")"
      aligner   = "ALIGN_MIN"
      reducer   = "REDUCE_MAX"
      group_by  = ["resource.label.queue_id"]
      threshold = 5000
      duration  = 600
    }
    function-errors = {
      title       = "A function answers more than 2 % of its calls with an error of ours"
      severity    = "ERROR"
      filter      = "metric.type=\"run.googleapis.com/request_count\" AND resource.type=\"cloud_run_revision\" AND metric.labels.response_code_class=\"5xx\""
      denominator = "metric.type=\"run.googleapis.com/request_count\" AND resource.type=\"cloud_run_revision\""
      aligner     = "ALIGN_RATE"
      group_by    = ["resource.label.service_name"]
      period      = 300
      threshold   = 0.02
      duration    = 300
    }
    function-full = {
      title     = "A function has used nearly all its instances"
      severity  = "WARNING"
      filter    = "metric.type=\"run.googleapis.com/container/instance_count\" AND resource.type=\"cloud_run_revision\" AND resource.labels.service_name=\"ingest\""
      aligner   = "ALIGN_MAX"
      reducer   = "REDUCE_SUM"
      group_by  = ["resource.label.service_name"]
      threshold = floor(0.8 * local.sizes.ingest.max_instances)
      duration  = 300
    }
    function-refuses = {
      title     = "A function answers many calls with 429"
      severity  = "WARNING"
      filter    = "metric.type=\"logging.googleapis.com/user/${google_logging_metric.refused_calls.name}\" AND resource.type=\"cloud_run_revision\""
      group_by  = ["metric.label.service"]
      threshold = 100
      period    = 300
    }
    export-failed = {
      title    = "An export of the database could not be started"
      severity = "ERROR"
      filter   = "metric.type=\"logging.googleapis.com/user/${google_logging_metric.export_failed.name}\" AND resource.type=\"cloud_scheduler_job\""
      group_by = ["metric.label.job"]
      # The hourly one is tried four times in its hour: one refusal alone is not told.
      threshold = 1
      period    = 3600
    }
    unauthenticated-burst = {
      title     = "Many calls of the API show no good token"
      severity  = "WARNING"
      filter    = "${local.api_requests} AND metric.labels.response_code=\"401\""
      threshold = 300
      period    = 300
    }
    forbidden-burst = {
      title     = "Many calls of the API ask for what their token may not have"
      severity  = "WARNING"
      filter    = "${local.api_requests} AND metric.labels.response_code=\"403\""
      threshold = 100
      period    = 300
    }
    nat-drops = {
      title     = "The NAT drops what leaves: ports or addresses run out"
      severity  = "ERROR"
      filter    = "metric.type=\"router.googleapis.com/nat/dropped_sent_packets_count\" AND resource.type=\"nat_gateway\" AND metric.labels.reason=\"OUT_OF_RESOURCES\""
      aligner   = "ALIGN_DELTA"
      threshold = 0
    }
  }

  policies = merge(local.latency_policies, local.probe_policies, local.event_policies, local.platform_policies)
}

# For up to 10 minutes after a log metric is created, Cloud Monitoring refuses a policy for it with 404
# (github.com/hashicorp/terraform-provider-google/issues/11102). Only new metrics are waited for.
resource "terraform_data" "metrics_known" {
  triggers_replace = concat([for metric in google_logging_metric.event : metric.id], [google_logging_metric.check_latency.id, google_logging_metric.refused_calls.id, google_logging_metric.export_failed.id])

  provisioner "local-exec" {
    command = "sleep 600"
  }
}

resource "google_monitoring_alert_policy" "threshold" {
  for_each = local.policies

  display_name          = "Watchpost: ${each.value.title}"
  combiner              = "OR"
  severity              = each.value.severity
  notification_channels = local.channels[each.value.severity]

  conditions {
    display_name = each.value.title

    condition_threshold {
      filter                  = each.value.filter
      denominator_filter      = try(each.value.denominator, null)
      comparison              = "COMPARISON_GT"
      threshold_value         = each.value.threshold
      duration                = "${try(each.value.duration, 0)}s"
      evaluation_missing_data = try(each.value.duration, 0) == 0 ? null : "EVALUATION_MISSING_DATA_INACTIVE"

      aggregations {
        alignment_period     = "${try(each.value.period, 60)}s"
        per_series_aligner   = try(each.value.aligner, "ALIGN_DELTA")
        cross_series_reducer = try(each.value.reducer, "REDUCE_SUM")
        group_by_fields      = try(each.value.group_by, [])
      }

      dynamic "denominator_aggregations" {
        for_each = try([each.value.denominator], [])

        content {
          alignment_period     = "${each.value.period}s"
          per_series_aligner   = each.value.aligner
          cross_series_reducer = "REDUCE_SUM"
          group_by_fields      = each.value.group_by
        }
      }
    }
  }

  documentation {
    mime_type = "text/markdown"
    content   = local.runbook[try(each.value.runbook, each.key)]

    links {
      display_name = "Runbook"
      url          = "${local.runbook_url}#${try(each.value.runbook, each.key)}"
    }
  }

  alert_strategy {
    auto_close = "86400s"
  }

  depends_on = [terraform_data.metrics_known]
}

# The sweep is the last protection when a wake is lost, so its absence must be noticed. Calls of `deadline` would not show it: tasks call it too, in a
# busy fleet many times a minute. Absence is noticed only after one point since the policy was made or changed
# (cloud.google.com/monitoring/alerts/metric-absence): the runbook says what to look at after the first apply.
resource "google_monitoring_alert_policy" "sweep_absent" {
  display_name          = "Watchpost: the sweep does not run"
  combiner              = "OR"
  severity              = "CRITICAL"
  notification_channels = local.channels.CRITICAL

  conditions {
    display_name = "No sweep ran to its end for 3 minutes"

    condition_absent {
      filter   = local.event_metric.sweep_done
      duration = "180s"

      aggregations {
        alignment_period     = "60s"
        per_series_aligner   = "ALIGN_DELTA"
        cross_series_reducer = "REDUCE_SUM"
      }
    }
  }

  # Whether a metric of log entries goes on with zeros, which are not absent, could not be established.
  conditions {
    display_name = "Zero sweeps ran to their end for 3 minutes"

    condition_threshold {
      filter                  = local.event_metric.sweep_done
      comparison              = "COMPARISON_LT"
      threshold_value         = 1
      duration                = "180s"
      evaluation_missing_data = "EVALUATION_MISSING_DATA_ACTIVE"

      aggregations {
        alignment_period     = "60s"
        per_series_aligner   = "ALIGN_DELTA"
        cross_series_reducer = "REDUCE_SUM"
      }
    }
  }

  documentation {
    mime_type = "text/markdown"
    content   = local.runbook["sweep-absent"]

    links {
      display_name = "Runbook"
      url          = "${local.runbook_url}#sweep-absent"
    }
  }

  depends_on = [terraform_data.metrics_known]
}
