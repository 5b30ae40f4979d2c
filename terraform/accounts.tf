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

locals {
  build_roles = {
    "roles/artifactregistry.writer" = null
    "roles/logging.logWriter"       = null
    # The bucket cannot be named in a separate grant, because it is created with the first function. The builder needs no access to frames
    # and states.
    "roles/storage.objectViewer" = {
      title      = "neither frames nor the state of Terraform"
      expression = "!resource.name.startsWith(\"projects/_/buckets/${google_storage_bucket.frames.name}\") && !resource.name.startsWith(\"projects/_/buckets/${var.project_id}-terraform\")"
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

# A grant is effective everywhere after 2 minutes as a rule, and after 7 or more at worst
# (cloud.google.com/iam/docs/access-change-propagation). An earlier build or first start fails, and Terraform does not repeat it. Only new
# grants are waited for.
resource "terraform_data" "grants_known" {
  triggers_replace = [
    for grants in [
      google_project_iam_member.build,
      google_project_iam_member.firestore,
      google_secret_manager_secret_iam_member.function,
      google_cloud_tasks_queue_iam_member.deadlines,
      google_cloud_tasks_queue_iam_member.deliveries,
      google_service_account_iam_member.tasks_user,
      google_pubsub_topic_iam_member.canary,
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
