# Our own bridge on Cloud Run (docs/bridge.md), where `cloud_bridge` asks for it: one instance for each part of the devices, always on, with an account
# that may publish to one topic and read its own secrets. A bridge on another host needs only `bridge.publishers`.
locals {
  bridge_parts = { for part in range(1, try(var.cloud_bridge.parts, 0) + 1) : "${part}-of-${var.cloud_bridge.parts}" => "${part}/${var.cloud_bridge.parts}" }
  bridge_files = tolist(try(var.cloud_bridge.files, []))
  # Each bridge has its own account at the broker: some brokers take its name as the client id.
  bridge_secrets = merge([for part in keys(local.bridge_parts) : merge(
    { "${part}-MQTT_URL" = { part = part, about = "Broker that bridge ${part} reads, with the user and password of an account that may subscribe, and publish nothing." } },
    { for variable in local.bridge_files : "${part}-${variable}" => { part = part, about = "The file that ${variable} of bridge ${part} names, PEM." } },
  )]...)
}

resource "google_service_account" "bridge" {
  count = var.cloud_bridge == null ? 0 : 1

  account_id   = "cloud-bridge"
  display_name = "Our bridge on Cloud Run"

  depends_on = [google_project_service.this]
}

# Not the functions' repository: their builder must not be able to write the bridge's image.
resource "google_artifact_registry_repository" "bridge" {
  count = var.cloud_bridge == null ? 0 : 1

  repository_id = "bridge"
  location      = var.region
  format        = "DOCKER"
  description   = "Images of the bridge."

  depends_on = [google_project_service.this]
}

resource "google_secret_manager_secret" "bridge" {
  for_each = local.bridge_secrets

  secret_id           = "bridge-${lower(replace(each.key, "_", "-"))}"
  deletion_protection = local.is_production

  annotations = {
    about = each.value.about
  }

  replication {
    user_managed {
      replicas {
        location = var.region
      }
    }
  }

  depends_on = [google_project_service.this]
}

resource "google_secret_manager_secret_iam_member" "bridge" {
  for_each = local.bridge_secrets

  secret_id = google_secret_manager_secret.bridge[each.key].secret_id
  role      = "roles/secretmanager.secretAccessor"
  member    = google_service_account.bridge[0].member
}

resource "google_pubsub_topic_iam_member" "cloud_bridge" {
  count = var.cloud_bridge == null ? 0 : 1

  topic  = google_pubsub_topic.device_messages.id
  role   = "roles/pubsub.publisher"
  member = google_service_account.bridge[0].member
}

resource "google_cloud_run_v2_service" "bridge" {
  for_each = local.bridge_parts

  name                = "bridge-${each.key}"
  location            = var.region
  ingress             = "INGRESS_TRAFFIC_INTERNAL_ONLY"
  deletion_protection = local.is_production

  template {
    service_account = google_service_account.bridge[0].email

    # Two instances would take the session from each other.
    scaling {
      min_instance_count = 1
      max_instance_count = 1
    }

    # The broker sees the addresses of `egress_ranges`, so that its firewall can let in the bridge alone.
    vpc_access {
      egress = "ALL_TRAFFIC"

      network_interfaces {
        network    = google_compute_network.egress.id
        subnetwork = google_compute_subnetwork.egress.id
      }
    }

    containers {
      image = var.cloud_bridge.image

      resources {
        limits = { cpu = var.cloud_bridge.cpu, memory = var.cloud_bridge.memory }
        # It works without a request, so its CPU must not be taken away between requests.
        cpu_idle = false
      }

      ports {
        container_port = 8080
      }

      dynamic "env" {
        for_each = merge(var.cloud_bridge.settings, {
          PARTITION            = each.value
          GOOGLE_CLOUD_PROJECT = var.project_id
          MESSAGES_TOPIC       = google_pubsub_topic.device_messages.name
        }, { for variable in local.bridge_files : variable => "/secrets/${variable}/pem" })

        content {
          name  = env.key
          value = env.value
        }
      }

      env {
        name = "MQTT_URL"

        value_source {
          secret_key_ref {
            secret  = google_secret_manager_secret.bridge["${each.key}-MQTT_URL"].secret_id
            version = lookup(var.secret_versions, "bridge-${each.key}-MQTT_URL", "latest")
          }
        }
      }

      dynamic "volume_mounts" {
        for_each = local.bridge_files

        content {
          name       = lower(replace(volume_mounts.value, "_", "-"))
          mount_path = "/secrets/${volume_mounts.value}"
        }
      }

      startup_probe {
        http_get {
          path = "/healthz"
        }
      }

      # A bridge whose session was taken says 503 for a minute before it ends by itself: it must not be ended earlier, or two would fight.
      liveness_probe {
        period_seconds    = 30
        failure_threshold = 4

        http_get {
          path = "/healthz"
        }
      }
    }

    dynamic "volumes" {
      for_each = local.bridge_files

      content {
        name = lower(replace(volumes.value, "_", "-"))

        secret {
          secret = google_secret_manager_secret.bridge["${each.key}-${volumes.value}"].secret_id

          items {
            path    = "pem"
            version = lookup(var.secret_versions, "bridge-${each.key}-${volumes.value}", "latest")
          }
        }
      }
    }
  }

  # A first start needs its grants to be effective.
  depends_on = [terraform_data.grants_known]
}
