# Frames that the cameras captured, which webhooks link to by signed addresses.
resource "google_storage_bucket" "frames" {
  name                        = "${var.project_id}-frames"
  location                    = var.region
  uniform_bucket_level_access = true
  public_access_prevention    = "enforced"
  force_destroy               = !local.is_production

  lifecycle_rule {
    condition {
      age = 30 # as long as detections are kept
    }
    action {
      type = "Delete"
    }
  }

  # The platform would keep and bill deleted objects for another week, but an erased frame must be gone at once.
  soft_delete_policy {
    retention_duration_seconds = 0
  }

  depends_on = [google_project_service.this]
}

# The source code of the functions, each build under its own hash. Earlier builds are kept for a rollback.
resource "google_storage_bucket" "sources" {
  name                        = "${var.project_id}-sources"
  location                    = var.region
  uniform_bucket_level_access = true
  public_access_prevention    = "enforced"
  force_destroy               = !local.is_production

  depends_on = [google_project_service.this]
}

locals {
  frame_readers = toset([for name, settings in local.reads : name if contains(settings, "FRAMES_BUCKET")])
  # Probes check that the bucket exists. The others read it and sign addresses.
  frame_signers = setsubtract(local.frame_readers, ["probes"])
}

resource "google_storage_bucket_iam_member" "frames_exists" {
  for_each = local.frame_readers

  bucket = google_storage_bucket.frames.name
  role   = "roles/storage.bucketViewer"
  member = google_service_account.function[each.key].member
}

resource "google_storage_bucket_iam_member" "frames_read" {
  for_each = local.frame_signers

  bucket = google_storage_bucket.frames.name
  role   = "roles/storage.objectViewer"
  member = google_service_account.function[each.key].member
}

# Frames are written to the bucket with this account, which may add objects and may not read, replace or delete one.
resource "google_service_account" "frame_writer" {
  account_id   = "frame-writer"
  display_name = "Whoever brings captured frames"
}

resource "google_storage_bucket_iam_member" "frames_write" {
  bucket = google_storage_bucket.frames.name
  role   = "roles/storage.objectCreator"
  member = google_service_account.frame_writer.member
}

# The API does the same: it signs upload addresses, and an address permits no more than its signer may do.
resource "google_storage_bucket_iam_member" "frames_upload" {
  for_each = toset(["api"])

  bucket = google_storage_bucket.frames.name
  role   = "roles/storage.objectCreator"
  member = google_service_account.function[each.key].member
}

# No predefined role allows deleting objects without writing them.
resource "google_project_iam_custom_role" "frame_eraser" {
  role_id     = "frameEraser"
  title       = "Deletes frames"
  description = "For the erasure of a device (docs/recovery.md)."
  permissions = ["storage.objects.delete"]
}

resource "google_storage_bucket_iam_member" "frames_erase" {
  for_each = toset(["deadline"])

  bucket = google_storage_bucket.frames.name
  role   = google_project_iam_custom_role.frame_eraser.name
  member = google_service_account.function[each.key].member
}

# They get short-lived tokens of the account or sign upload addresses with it. There is no key.
resource "google_service_account_iam_member" "frame_writers" {
  for_each = toset(var.frame_writers)

  service_account_id = google_service_account.frame_writer.name
  role               = "roles/iam.serviceAccountTokenCreator"
  member             = each.key
}

resource "google_service_account_iam_member" "frames_sign" {
  for_each = local.frame_signers

  service_account_id = google_service_account.function[each.key].name
  role               = google_project_iam_custom_role.signer.name
  member             = google_service_account.function[each.key].member
}

# The ledger: tiles of hashes that never change, and the checkpoint that commits to them. Earlier checkpoints are kept.
resource "google_storage_bucket" "ledger" {
  name                        = "${var.project_id}-ledger"
  location                    = var.region
  uniform_bucket_level_access = true
  public_access_prevention    = "enforced"
  force_destroy               = !local.is_production

  versioning {
    enabled = true
  }

  depends_on = [google_project_service.this]
}

locals {
  ledger_readers = toset([for name, settings in local.reads : name if contains(settings, "LEDGER_BUCKET")])
  ledger_keepers = toset([for name, settings in local.reads : name if contains(settings, "LEDGER_KEYS")])
}

resource "google_storage_bucket_iam_member" "ledger_read" {
  for_each = local.ledger_readers

  bucket = google_storage_bucket.ledger.name
  role   = "roles/storage.objectViewer"
  member = google_service_account.function[each.key].member
}

# The function that keeps the ledger may add tiles and may replace only the checkpoint.
resource "google_storage_bucket_iam_member" "ledger_add" {
  for_each = local.ledger_keepers

  bucket = google_storage_bucket.ledger.name
  role   = "roles/storage.objectCreator"
  member = google_service_account.function[each.key].member
}

resource "google_storage_bucket_iam_member" "ledger_checkpoint" {
  for_each = local.ledger_keepers

  bucket = google_storage_bucket.ledger.name
  role   = "roles/storage.objectUser"
  member = google_service_account.function[each.key].member

  condition {
    title      = "the checkpoint alone"
    expression = "resource.name == \"projects/_/buckets/${google_storage_bucket.ledger.name}/objects/checkpoint\""
  }
}
