# Copies that remain if the region or the database is lost (docs/recovery.md). Backups and point-in-time recovery (firestore.tf) are stored with the
# database.
resource "google_storage_bucket" "exports" {
  count = local.is_production ? 1 : 0

  name                        = "${var.project_id}-exports"
  location                    = var.recovery.location
  uniform_bucket_level_access = true
  public_access_prevention    = "enforced"
  force_destroy               = !local.is_production

  # Firestore exports only into a bucket that spans its own region; one of two regions holds each object in both.
  custom_placement_config {
    data_locations = [upper(var.region), upper(var.recovery.region)]
  }

  # A deleted or replaced object is kept as a version, and every version goes at this age. Soft deletion would keep it for longer than docs/recovery.md says.
  versioning {
    enabled = true
  }

  soft_delete_policy {
    retention_duration_seconds = 0
  }

  lifecycle_rule {
    condition {
      age = 60
    }
    action {
      type = "Delete"
    }
  }

  depends_on = [google_project_service.this]
}

resource "google_service_account" "export" {
  count = local.is_production ? 1 : 0

  account_id   = "firestore-export"
  display_name = "Asks for exports of the database"
}

# This account may start an export of this database, and neither imports nor reads records or objects itself: Firestore's own agent writes them. The
# predefined role would let it import, which overwrites records.
resource "google_project_iam_custom_role" "exporter" {
  count = local.is_production ? 1 : 0

  role_id     = "databaseExporter"
  title       = "Exports the database"
  description = "For the copies of docs/recovery.md."
  permissions = ["datastore.databases.export"]
}

resource "google_project_iam_member" "export" {
  count = local.is_production ? 1 : 0

  project = var.project_id
  role    = google_project_iam_custom_role.exporter[0].name
  member  = google_service_account.export[0].member

  condition {
    title      = "the database of the service alone"
    expression = "resource.name == \"${local.database}\""
  }
}

locals {
  exports = { all = "firestore-export", small = "firestore-small-export" }
}

resource "google_cloud_scheduler_job" "export" {
  count = local.is_production ? 1 : 0

  name      = local.exports.all
  region    = var.region
  schedule  = "0 3 * * 0"
  time_zone = "Etc/UTC"

  http_target {
    http_method = "POST"
    uri         = "https://firestore.googleapis.com/v1/${local.database}:exportDocuments"
    headers     = { "Content-Type" = "application/json" }
    body        = base64encode(jsonencode({ outputUriPrefix = "gs://${google_storage_bucket.exports[0].name}" }))

    oauth_token {
      service_account_email = google_service_account.export[0].email
    }
  }

  retry_config {
    retry_count = 3
  }
}

# A separate secret instead of a replica, because deleting a secret deletes its replicas. Only people who restore may read it.
resource "google_secret_manager_secret" "data_keys_copy" {
  count = local.is_production ? 1 : 0

  secret_id           = "data-keys-copy"
  deletion_protection = true

  annotations = {
    about = "Copy of data-keys in another region: a new version after each rotation (docs/recovery.md)."
  }

  replication {
    user_managed {
      replicas {
        location = var.recovery.region
      }
    }
  }

  depends_on = [google_project_service.this]
}

# The small collections, without which nobody is notified: an hour old at most, where the whole database is a week old.
locals {
  small_collections = ["devices", "reportSchedules", "rules", "settings", "teams", "webhooks"]
}

resource "google_storage_bucket" "small_copies" {
  count = local.is_production ? 1 : 0

  name                        = "${var.project_id}-small-copies"
  location                    = var.recovery.location
  uniform_bucket_level_access = true
  public_access_prevention    = "enforced"
  force_destroy               = !local.is_production
  # Within 15 minutes in the second region too (cloud.google.com/storage/docs/availability-durability).
  rpo = "ASYNC_TURBO"

  custom_placement_config {
    data_locations = [upper(var.region), upper(var.recovery.region)]
  }

  # A deleted or replaced object is kept as a version, and every version goes at this age. Soft deletion would keep it for longer than docs/recovery.md says.
  versioning {
    enabled = true
  }

  soft_delete_policy {
    retention_duration_seconds = 0
  }

  lifecycle_rule {
    condition {
      age = 35
    }
    action {
      type = "Delete"
    }
  }

  depends_on = [google_project_service.this]
}

# The whole policy of the bucket, so that editors and viewers of the project do not get what they get at every new bucket. Firestore's agent writes what
# the export's account asks for, by its role in the project.
resource "google_storage_bucket_iam_policy" "small_copies" {
  count = local.is_production ? 1 : 0

  bucket      = google_storage_bucket.small_copies[0].name
  policy_data = jsonencode({ bindings = [{ role = "roles/storage.objectViewer", members = [google_service_account.recovery[0].member] }] })
}

resource "google_service_account" "recovery" {
  count = local.is_production ? 1 : 0

  account_id   = "recovery"
  display_name = "Reads the copies, for whoever restores"
}

resource "google_service_account_iam_member" "recovery" {
  for_each = local.is_production ? toset(var.recovery.people) : []

  service_account_id = google_service_account.recovery[0].name
  role               = "roles/iam.serviceAccountTokenCreator"
  member             = each.key
}

resource "google_secret_manager_secret_iam_member" "recovery" {
  count = local.is_production ? 1 : 0

  secret_id = google_secret_manager_secret.data_keys_copy[0].secret_id
  role      = "roles/secretmanager.secretAccessor"
  member    = google_service_account.recovery[0].member
}

resource "google_cloud_scheduler_job" "small_export" {
  count = local.is_production ? 1 : 0

  name      = local.exports.small
  region    = var.region
  schedule  = "17 * * * *"
  time_zone = "Etc/UTC"

  http_target {
    http_method = "POST"
    uri         = "https://firestore.googleapis.com/v1/${local.database}:exportDocuments"
    headers     = { "Content-Type" = "application/json" }
    body = base64encode(jsonencode({
      outputUriPrefix = "gs://${google_storage_bucket.small_copies[0].name}"
      collectionIds   = local.small_collections
    }))

    oauth_token {
      service_account_email = google_service_account.export[0].email
    }
  }

  retry_config {
    retry_count = 3
  }
}
