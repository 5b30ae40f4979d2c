# Where the log is stored, and what is written to it. The platform's default buckets are global, while the functions' logs stay in the
# region.
resource "google_logging_project_bucket_config" "region" {
  project        = var.project_id
  location       = var.region
  bucket_id      = "watchpost"
  retention_days = 30
  description    = "What the functions and the platform say, in the region of the data."

  depends_on = [google_project_service.this]
}

# Who read or wrote data (terraform/audit.tf), as long as the platform keeps what administrators did: 400 days.
resource "google_logging_project_bucket_config" "audit" {
  project        = var.project_id
  location       = var.region
  bucket_id      = "watchpost-audit"
  retention_days = 400
  description    = "Who read or wrote data, as the platform recorded it."

  depends_on = [google_project_service.this]
}

resource "google_logging_project_sink" "audit" {
  name        = "audit"
  destination = "logging.googleapis.com/${google_logging_project_bucket_config.audit.id}"
  filter      = "LOG_ID(\"${local.audit_log}\")"
}

# Every project already has this sink, so the provider takes over the existing one. `_Required` (400 days of administrative logs) stays unchanged.
resource "google_logging_project_sink" "default" {
  name        = "_Default"
  destination = "logging.googleapis.com/${google_logging_project_bucket_config.region.id}"
  filter      = join(" AND ", [for log in concat(local.required_logs, [local.audit_log]) : "NOT LOG_ID(\"${log}\")"])

  # The address of such a request contains a link's token, and whoever reads it could use the link.
  exclusions {
    name        = "links"
    description = "Requests for the links of messages: their addresses are capabilities."
    filter      = "httpRequest.requestUrl=~\"/t/[A-Za-z0-9_-]{22}\""
  }

  # The platform writes a line for each request. Successful requests from the platform itself come by the million and are counted in metrics. Storing
  # their lines would cost as much as answering them.
  exclusions {
    name        = "quiet-requests"
    description = "Requests of Pub/Sub, Cloud Tasks and Cloud Scheduler that were answered as they should."
    filter      = "resource.type=\"cloud_run_revision\" AND log_id(\"run.googleapis.com/requests\") AND httpRequest.status<400 AND resource.labels.service_name=(${join(" OR ", [for name in keys(local.callers) : "\"${name}\""])})"
  }
}

locals {
  audit_log = "cloudaudit.googleapis.com/data_access"

  # The filter that the platform gives to `_Default`, because `_Required` stores these logs.
  required_logs = flatten([
    for log in ["activity", "system_event", "access_transparency"] : ["cloudaudit.googleapis.com/${log}", "externalaudit.googleapis.com/${log}"]
  ])
}
