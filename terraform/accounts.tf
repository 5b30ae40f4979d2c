# The functions' service accounts, and how long Terraform waits for new grants. What each account may do is defined beside the resource
# concerned.
resource "google_service_account" "function" {
  for_each = local.reads

  account_id   = "${each.key}-function"
  display_name = "Function ${each.key}"

  depends_on = [google_project_service.this]
}

# Cloud Build makes the images of the functions with this account. Cloud Functions copies each source to a bucket of its own making,
# `gcf-v2-sources-NUMBER-REGION`, and Cloud Build fetches it from there (github.com/hashicorp/terraform-provider-google/issues/20571).
resource "google_service_account" "build" {
  account_id   = "function-build"
  display_name = "Cloud Build, when it builds the functions"
}

# A repository for the functions alone, so that their builder can write no other image.
resource "google_artifact_registry_repository" "functions" {
  repository_id = "functions"
  location      = var.region
  format        = "DOCKER"
  description   = "Images of the functions."

  depends_on = [google_project_service.this]
}

resource "google_artifact_registry_repository_iam_member" "build" {
  repository = google_artifact_registry_repository.functions.repository_id
  location   = var.region
  role       = "roles/artifactregistry.writer"
  member     = google_service_account.build.member
}

locals {
  build_roles = {
    "roles/logging.logWriter" = null
    # The bucket cannot be named in a separate grant, because it is created with the first function. This form of the condition is Google's own
    # (cloud.google.com/run/docs/configuring/services/build-service-account).
    "roles/storage.objectViewer" = {
      title      = "the sources of functions alone"
      expression = "resource.type == \"storage.googleapis.com/Object\" && resource.name.startsWith(\"projects/_/buckets/gcf-v2-sources-${data.google_project.this.number}-${var.region}/\")"
    }
  }
}

resource "google_project_iam_member" "build" {
  for_each = local.build_roles

  project = var.project_id
  role    = each.key
  member  = google_service_account.build.member

  dynamic "condition" {
    for_each = each.value[*]

    content {
      title      = condition.value.title
      expression = condition.value.expression
    }
  }
}

# Signing an address for an object needs this one permission; the predefined role would also give tokens of the account.
resource "google_project_iam_custom_role" "signer" {
  role_id     = "addressSigner"
  title       = "Signs addresses"
  description = "For addresses of frames (terraform/storage.tf)."
  permissions = ["iam.serviceAccounts.signBlob"]
}

# A grant is effective everywhere after 2 minutes as a rule, and after 7 or more at worst
# (cloud.google.com/iam/docs/access-change-propagation). An earlier build or first start fails, and Terraform does not repeat it. Only new
# grants are waited for.
resource "terraform_data" "grants_known" {
  triggers_replace = [
    for grants in [
      google_project_iam_member.build,
      [google_artifact_registry_repository_iam_member.build],
      google_project_iam_member.firestore,
      google_secret_manager_secret_iam_member.function,
      google_cloud_tasks_queue_iam_member.deadlines,
      google_cloud_tasks_queue_iam_member.deliveries,
      google_service_account_iam_member.tasks_user,
      google_pubsub_topic_iam_member.canary,
      google_pubsub_topic_iam_member.cloud_bridge,
      google_secret_manager_secret_iam_member.bridge,
      google_storage_bucket_iam_member.ledger_read,
      google_storage_bucket_iam_member.ledger_add,
      google_storage_bucket_iam_member.ledger_checkpoint,
      google_storage_bucket_iam_member.frames_exists,
      google_storage_bucket_iam_member.frames_read,
      google_storage_bucket_iam_member.frames_upload,
      google_storage_bucket_iam_member.frames_erase,
      google_service_account_iam_member.frames_sign,
    ] : [for grant in grants : grant.id]
  ]

  provisioner "local-exec" {
    command = "sleep 420"
  }
}
