# Who read or wrote data, as the platform records it. The service's own routine access is excluded, because it would cost more than the
# service. A remaining line means a person, a function that should have no access, or the probes.
locals {
  # `datastore.googleapis.com` also enables Firestore's logs (cloud.google.com/firestore/docs/audit-logging).
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
