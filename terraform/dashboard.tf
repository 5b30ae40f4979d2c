# The dashboard to open first. Its order follows the data, from incoming reports to outgoing messages.
locals {
  run_metric = "resource.type=\"cloud_run_revision\" metric.type=\"run.googleapis.com"

  charts = [
    { title = "Probes passed", filter = "metric.type=\"monitoring.googleapis.com/uptime_check/check_passed\" resource.type=\"uptime_url\"", aligner = "ALIGN_FRACTION_TRUE", reducer = "REDUCE_MEAN", by = ["metric.label.check_id"] },
    { title = "Slow dependencies, 95th percentile (ms)", filter = "metric.type=\"logging.googleapis.com/user/${google_logging_metric.check_latency.name}\" resource.type=\"cloud_run_revision\"", aligner = "ALIGN_PERCENTILE_95", reducer = "REDUCE_MAX", by = ["metric.label.check"] },
    { title = "Reports published a second", filter = "metric.type=\"pubsub.googleapis.com/topic/send_message_operation_count\" resource.type=\"pubsub_topic\"", aligner = "ALIGN_RATE", reducer = "REDUCE_SUM", by = ["resource.label.topic_id"] },
    { title = "Age of the oldest unacknowledged report (s)", filter = "metric.type=\"pubsub.googleapis.com/subscription/oldest_unacked_message_age\" resource.type=\"pubsub_subscription\"", aligner = "ALIGN_MAX", reducer = "REDUCE_MAX", by = ["resource.label.subscription_id"] },
    { title = "Reports in quarantine, by reason", filter = "metric.type=\"logging.googleapis.com/user/${google_logging_metric.event["report_quarantined"].name}\" resource.type=\"cloud_run_revision\"", aligner = "ALIGN_DELTA", reducer = "REDUCE_SUM", by = ["metric.label.reason"] },
    { title = "Calls a second, by function", filter = "${local.run_metric}/request_count\"", aligner = "ALIGN_RATE", reducer = "REDUCE_SUM", by = ["resource.label.service_name"] },
    { title = "Errors of ours a second, by function", filter = "${local.run_metric}/request_count\" metric.label.response_code_class=\"5xx\"", aligner = "ALIGN_RATE", reducer = "REDUCE_SUM", by = ["resource.label.service_name"] },
    { title = "Latency, 99th percentile (ms)", filter = "${local.run_metric}/request_latencies\"", aligner = "ALIGN_PERCENTILE_99", reducer = "REDUCE_MAX", by = ["resource.label.service_name"] },
    { title = "Instances", filter = "${local.run_metric}/container/instance_count\"", aligner = "ALIGN_MAX", reducer = "REDUCE_SUM", by = ["resource.label.service_name"] },
    { title = "Tasks waiting, by queue", filter = "metric.type=\"cloudtasks.googleapis.com/queue/depth\" resource.type=\"cloud_tasks_queue\"", aligner = "ALIGN_MAX", reducer = "REDUCE_MAX", by = ["resource.label.queue_id"] },
    { title = "Attempts of deliveries, by what became of them", filter = "metric.type=\"logging.googleapis.com/user/${google_logging_metric.event["delivery_attempted"].name}\" resource.type=\"cloud_run_revision\"", aligner = "ALIGN_DELTA", reducer = "REDUCE_SUM", by = ["metric.label.status"] },
    { title = "Packets that the NAT dropped", filter = "metric.type=\"router.googleapis.com/nat/dropped_sent_packets_count\" resource.type=\"nat_gateway\"", aligner = "ALIGN_DELTA", reducer = "REDUCE_SUM", by = ["metric.label.reason"] },
    { title = "Firestore reads a second", filter = "metric.type=\"firestore.googleapis.com/document/read_ops_count\" resource.type=\"firestore.googleapis.com/Database\"", aligner = "ALIGN_RATE", reducer = "REDUCE_SUM", by = [] },
    { title = "Firestore writes a second", filter = "metric.type=\"firestore.googleapis.com/document/write_ops_count\" resource.type=\"firestore.googleapis.com/Database\"", aligner = "ALIGN_RATE", reducer = "REDUCE_SUM", by = [] },
  ]
}

resource "google_monitoring_dashboard" "watchpost" {
  dashboard_json = jsonencode({
    displayName = "Watchpost"
    mosaicLayout = {
      columns = 12
      tiles = [
        for index, chart in local.charts : {
          xPos   = (index % 3) * 4
          yPos   = floor(index / 3) * 4
          width  = 4
          height = 4
          widget = {
            title = chart.title
            xyChart = {
              dataSets = [{
                plotType = "LINE"
                timeSeriesQuery = {
                  timeSeriesFilter = {
                    filter = chart.filter
                    aggregation = {
                      alignmentPeriod    = "60s"
                      perSeriesAligner   = chart.aligner
                      crossSeriesReducer = chart.reducer
                      groupByFields      = chart.by
                    }
                  }
                }
              }]
            }
          }
        }
      ]
    }
  })

  depends_on = [google_project_service.this]
}
