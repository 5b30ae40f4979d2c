# Without a domain, Firebase Hosting is the only base address. Its resource (`google_firebase_project`) is only in the beta provider, so the
# one call is made here with the credentials of `gcloud`. A project that has Firebase already answers 409, which is not an error.
resource "terraform_data" "firebase" {
  count = local.needs_hosting ? 1 : 0

  triggers_replace = [var.project_id]

  provisioner "local-exec" {
    interpreter = ["/bin/sh", "-c"]
    command     = <<-EOT
      status=$(curl --silent --output /dev/stderr --write-out '%%{http_code}' --request POST \
        --header "Authorization: Bearer $(gcloud auth print-access-token)" --header "X-Goog-User-Project: ${var.project_id}" \
        "https://firebase.googleapis.com/v1beta1/projects/${var.project_id}:addFirebase")
      case "$status" in 200 | 409) ;; *) echo "Firebase answered $status (docs/before-you-begin.md, Firebase Hosting)." >&2; exit 1 ;; esac
    EOT
  }

  depends_on = [google_project_service.this]
}

# For organisations that refuse grants to allUsers: Cloud Run must not require one. The setting belongs to the service below the function,
# which every new build of the function overwrites.
locals {
  public_invokers = var.public_access.functions == "grant" ? { everyone = "allUsers" } : {}
}

resource "terraform_data" "unchecked" {
  for_each = var.public_access.functions == "unchecked" ? toset(local.public_functions) : []

  triggers_replace = [module.function[each.key].function.id, module.function[each.key].function.build_config, module.function[each.key].function.service_config[0].environment_variables]

  provisioner "local-exec" {
    command = "gcloud run services update ${each.key} --project=${var.project_id} --region=${var.region} --no-invoker-iam-check --quiet"
  }
}
