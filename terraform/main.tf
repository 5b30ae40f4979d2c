locals {
  is_production = var.environment == "production"
  needs_hosting = var.domain == null
  base_url      = "https://${var.domain != null ? var.domain : "${var.project_id}.web.app"}"

  # The second address of each function in Cloud Run is known before the function exists, so a function can get its own address as a
  # setting.
  urls = {
    for name in keys(local.reads) :
    name => "https://${name}-${data.google_project.this.number}.${var.region}.run.app"
  }

  sign_in = one([for each in var.auth.issuers : each if each.sign_in])

  # The settings that the functions' code reads, generated from the code: `npm run gen`.
  reads = jsondecode(file("${path.module}/settings.json"))

  # Fixed values from the code, generated from it: `npm run gen`.
  vocabulary = jsondecode(file("${path.module}/vocabulary.json"))
}

resource "google_project_service" "this" {
  for_each = toset(concat(local.needs_hosting ? ["firebase.googleapis.com", "firebasehosting.googleapis.com"] : [], [
    "artifactregistry.googleapis.com",
    "billingbudgets.googleapis.com",
    "cloudbuild.googleapis.com",
    "cloudfunctions.googleapis.com",
    "cloudresourcemanager.googleapis.com",
    "cloudscheduler.googleapis.com",
    "cloudtasks.googleapis.com",
    "compute.googleapis.com",
    "firebaserules.googleapis.com",
    "firestore.googleapis.com",
    "iam.googleapis.com",
    "iamcredentials.googleapis.com",
    "logging.googleapis.com",
    "monitoring.googleapis.com",
    "pubsub.googleapis.com",
    "run.googleapis.com",
    "secretmanager.googleapis.com",
    "storage.googleapis.com",
  ]))

  service            = each.key
  disable_on_destroy = false
}
