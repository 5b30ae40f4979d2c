# One function: its account, its secrets and its callers.
terraform {
  required_providers {
    google = {
      source = "hashicorp/google"
    }
  }
}

resource "google_cloudfunctions2_function" "this" {
  name     = var.name
  location = var.region

  build_config {
    runtime           = "nodejs24"
    entry_point       = var.name
    service_account   = var.build_account
    docker_repository = var.repository

    source {
      storage_source {
        bucket = var.source_bucket
        object = var.source_object
      }
    }
  }

  service_config {
    service_account_email            = var.account
    available_memory                 = var.size.memory
    available_cpu                    = var.size.cpu
    max_instance_request_concurrency = var.size.concurrency
    min_instance_count               = var.size.min_instances
    max_instance_count               = var.size.max_instances
    timeout_seconds                  = var.size.timeout_seconds
    ingress_settings                 = var.ingress
    # Code compiled during the build (the script `gcp-build` in the function's package.json). Where it is missing or does not fit, Node
    # compiles as usual.
    environment_variables = merge(var.environment, { NODE_COMPILE_CACHE = "/workspace/.compile-cache", NODE_ENV = "production" })
    direct_vpc_egress     = var.network == null ? null : "VPC_EGRESS_ALL_TRAFFIC"

    dynamic "direct_vpc_network_interface" {
      for_each = var.network == null ? [] : [var.network]

      content {
        network    = direct_vpc_network_interface.value.network
        subnetwork = direct_vpc_network_interface.value.subnetwork
      }
    }

    dynamic "secret_environment_variables" {
      for_each = var.secrets

      content {
        key        = secret_environment_variables.key
        project_id = var.project_id
        secret     = secret_environment_variables.value.secret
        version    = secret_environment_variables.value.version
      }
    }
  }
}

resource "google_cloud_run_v2_service_iam_member" "invoker" {
  for_each = var.invokers

  name     = google_cloudfunctions2_function.this.name
  location = var.region
  role     = "roles/run.invoker"
  member   = each.value
}
