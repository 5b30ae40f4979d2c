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

  depends_on = [google_project_service.this]
}

# What the functions run, each build under its own hash: the objects of earlier builds stay for the way back.
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
  # Probes look whether the bucket is there; the others read it and sign addresses.
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

# Who brings a frame into the bucket does so as this account, which may add objects and neither read, replace nor delete one.
resource "google_service_account" "frame_writer" {
  account_id   = "frame-writer"
  display_name = "Whoever brings captured frames"
}

resource "google_storage_bucket_iam_member" "frames_write" {
  bucket = google_storage_bucket.frames.name
  role   = "roles/storage.objectCreator"
  member = google_service_account.frame_writer.member
}

# So does the API, which signs the addresses that it gives out to upload to: an address permits no more than who signed it may do.
resource "google_storage_bucket_iam_member" "frames_upload" {
  for_each = toset(["api"])

  bucket = google_storage_bucket.frames.name
  role   = "roles/storage.objectCreator"
  member = google_service_account.function[each.key].member
}

# They take short-lived tokens of the account or sign addresses to upload to as it; there is no key.
resource "google_service_account_iam_member" "frame_writers" {
  for_each = toset(var.frame_writers)

  service_account_id = google_service_account.frame_writer.name
  role               = "roles/iam.serviceAccountTokenCreator"
  member             = each.key
}

resource "google_service_account_iam_member" "frames_sign" {
  for_each = local.frame_signers

  service_account_id = google_service_account.function[each.key].name
  role               = "roles/iam.serviceAccountTokenCreator"
  member             = google_service_account.function[each.key].member
}
