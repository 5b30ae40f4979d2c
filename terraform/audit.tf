# Who read or wrote data, by the platform's own account of it. What the service does all day is left out, since it would cost more than the service
# and says nothing: a line means a person, a function that has no business there, or the probes.
locals {
  # `datastore.googleapis.com` switches on Firestore's too (cloud.google.com/firestore/docs/audit-logging).
  audited = {
    "datastore.googleapis.com"     = setsubtract(local.database_users, ["probes"])
    "storage.googleapis.com"       = local.frame_signers
    "secretmanager.googleapis.com" = []
  }

  database_users = toset([for name, settings in local.reads : name if contains(settings, "FIRESTORE_DATABASE")])
}

resource "google_project_iam_audit_config" "data_access" {
  for_each = local.audited

  project = var.project_id
  service = each.key

  dynamic "audit_log_config" {
    for_each = ["ADMIN_READ", "DATA_READ", "DATA_WRITE"]

    content {
      log_type         = audit_log_config.value
      exempted_members = [for name in each.value : google_service_account.function[name].member]
    }
  }
}
