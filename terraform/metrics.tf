# Metrics from the functions' log events. A test compares the events with the code.
locals {
  log_of = { for name in keys(local.reads) : name => "resource.type=\"cloud_run_revision\" AND resource.labels.service_name=\"${name}\"" }

  counters = {
    settings_refused     = { event = "service.refused", about = "A function that does not run since its settings are refused.", label = null }
    report_quarantined   = { event = "report.quarantined", about = "Reports that could not be read, by reason.", label = "reason" }
    sweep_done           = { event = "sweep.done", about = "Sweeps that ran to their end.", label = null }
    wake_missed          = { event = "sweep.found", about = "Sweeps that found what no task had woken.", label = null }
    platform_blind       = { event = "platform.blind", about = "Times at which the platform doubted itself rather than its cameras.", label = null }
    canary_missing       = { event = "canary.missing", about = "Sweeps that found a path that no canary ever came through.", label = "way" }
    drill_broken         = { event = "drill.broken", about = "Drills that did not come through, by the hop that is broken.", label = "hop" }
    delivery_attempted   = { event = "delivery.attempted", about = "Attempts of deliveries, by what became of the delivery.", label = "status" }
    endpoint_disabled    = { event = "endpoint.disabled", about = "Endpoints that were disabled since they only failed.", label = null }
    circuit_opened       = { event = "endpoint.circuit-opened", about = "Endpoints that are left alone for a while.", label = null }
    bridge_taken_over    = { event = "bridge.taken-over", about = "Sessions of a bridge that another client took.", label = null }
    bridge_refused       = { event = "message.refused", about = "Messages that Pub/Sub will never take from a bridge.", label = null }
    broker_dropped       = { event = "broker.dropped", about = "Times at which a broker said that it had dropped messages.", label = null }
    dependency_unhealthy = { event = "check.failed", about = "Readiness checks that failed, by dependency.", label = "check" }
  }
}

resource "google_logging_metric" "event" {
  for_each = local.counters

  name        = "watchpost/${each.key}"
  description = each.value.about
  filter      = "resource.type=\"cloud_run_revision\" AND jsonPayload.message=\"${each.value.event}\""

  label_extractors = merge(
    { service = "EXTRACT(resource.labels.service_name)" },
    each.value.label == null ? {} : { (each.value.label) = "EXTRACT(jsonPayload.${each.value.label})" },
  )

  metric_descriptor {
    metric_kind = "DELTA"
    value_type  = "INT64"
    unit        = "1"

    labels {
      key = "service"
    }

    dynamic "labels" {
      for_each = each.value.label == null ? [] : [each.value.label]
      content {
        key = labels.value
      }
    }
  }

  depends_on = [google_project_service.this]
}

# Calls that were answered with 429, by function: from the platform's log of requests, because it is not established that its metric of requests counts
# those that found no instance free.
# Cloud Scheduler logs each call that was refused or not answered. That its severity is then ERROR, and whether an export that began and failed later leaves
# an entry that can be counted, could not be established from its documentation: the runbook says how to look, and what to look at after the first apply.
resource "google_logging_metric" "export_failed" {
  name        = "watchpost/export_failed"
  description = "Exports of the database that could not be started, by job."
  filter      = "resource.type=\"cloud_scheduler_job\" AND resource.labels.job_id=(${join(" OR ", [for name in local.exports : "\"${name}\""])}) AND severity>=ERROR"

  label_extractors = {
    job = "EXTRACT(resource.labels.job_id)"
  }

  metric_descriptor {
    metric_kind = "DELTA"
    value_type  = "INT64"
    unit        = "1"

    labels {
      key = "job"
    }
  }
}

resource "google_logging_metric" "refused_calls" {
  name        = "watchpost/refused_calls"
  description = "Calls that were answered with 429, by function."
  filter      = "resource.type=\"cloud_run_revision\" AND log_id(\"run.googleapis.com/requests\") AND httpRequest.status=429"

  label_extractors = {
    service = "EXTRACT(resource.labels.service_name)"
  }

  metric_descriptor {
    metric_kind = "DELTA"
    value_type  = "INT64"
    unit        = "1"

    labels {
      key = "service"
    }
  }

  depends_on = [google_project_service.this]
}

# Latency of dependencies in slow checks. Fast checks write no line.
resource "google_logging_metric" "check_latency" {
  name            = "watchpost/check_latency"
  description     = "Latency of slow readiness checks in milliseconds, by dependency."
  filter          = "${local.log_of.probes} AND jsonPayload.message=\"check.slow\""
  value_extractor = "EXTRACT(jsonPayload.latencyMs)"

  label_extractors = {
    check = "EXTRACT(jsonPayload.check)"
  }

  metric_descriptor {
    metric_kind = "DELTA"
    value_type  = "DISTRIBUTION"
    unit        = "ms"

    labels {
      key = "check"
    }
  }

  # Bucket bounds at the thresholds, so that a percentile is exact there.
  bucket_options {
    explicit_buckets {
      bounds = [for bound in sort([for value in distinct(flatten([for limits in values(local.latency_thresholds_ms) : values(limits)])) : format("%06d", value)]) : tonumber(bound)]
    }
  }

  depends_on = [google_project_service.this]
}
