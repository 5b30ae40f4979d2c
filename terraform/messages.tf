# Messages of the cameras: the bridge publishes to device-messages, and Pub/Sub pushes to ingest.
resource "google_pubsub_topic" "device_messages" {
  name                       = "device-messages"
  message_retention_duration = "86400s" # a day can be played again

  message_storage_policy {
    allowed_persistence_regions = [var.region]
  }

  depends_on = [google_project_service.this]
}

resource "google_pubsub_topic" "dead_letter" {
  name = "device-messages-dead-letter"

  message_storage_policy {
    allowed_persistence_regions = [var.region]
  }

  depends_on = [google_project_service.this]
}

locals {
  pushes = { ingest = local.urls.ingest, dead_letter = "${local.urls.ingest}/dead-letter" }
}

resource "google_pubsub_subscription" "ingest" {
  name                       = "device-messages-ingest"
  topic                      = google_pubsub_topic.device_messages.id
  enable_message_ordering    = true
  ack_deadline_seconds       = 60
  message_retention_duration = "604800s"

  # Without an address, messages wait.
  dynamic "push_config" {
    for_each = var.standstill ? [] : [true]

    content {
      push_endpoint = local.pushes["ingest"]

      oidc_token {
        service_account_email = google_service_account.push.email
        audience              = local.urls.ingest
      }
    }
  }

  retry_policy {
    minimum_backoff = "2s"
    # The service relies on this value (`headBackoff` in shared/domain/limits.ts): delayed messages have arrived two minutes after the way
    # is open again.
    maximum_backoff = "120s"
  }

  # The maximum. With these waits an error of ours can last for more than three hours before a report becomes a dead letter. The local stack
  # uses the same numbers.
  dead_letter_policy {
    dead_letter_topic     = google_pubsub_topic.dead_letter.id
    max_delivery_attempts = 100
  }

  expiration_policy {
    ttl = "" # never
  }

  depends_on = [module.function]
}

# The reader of dead letters, which puts them into quarantine. It has no dead letters of its own, and tries for a month.
resource "google_pubsub_subscription" "dead_letter" {
  name                       = "device-messages-dead-letter-ingest"
  topic                      = google_pubsub_topic.dead_letter.id
  ack_deadline_seconds       = 60
  message_retention_duration = "2678400s" # 31 days, the most there is

  # Without an address, messages wait.
  dynamic "push_config" {
    for_each = var.standstill ? [] : [true]

    content {
      push_endpoint = local.pushes["dead_letter"]

      oidc_token {
        service_account_email = google_service_account.push.email
        audience              = local.urls.ingest
      }
    }
  }

  retry_policy {
    minimum_backoff = "10s"
    maximum_backoff = "600s"
  }

  expiration_policy {
    ttl = "" # never
  }

  depends_on = [module.function]
}

resource "google_service_account" "push" {
  account_id   = "push-caller"
  display_name = "Pub/Sub, when it pushes to ingest"
}

locals {
  pubsub_agent = "serviceAccount:service-${data.google_project.this.number}@gcp-sa-pubsub.iam.gserviceaccount.com"
}

resource "google_service_account_iam_member" "push_token" {
  service_account_id = google_service_account.push.name
  role               = "roles/iam.serviceAccountOpenIdTokenCreator"
  member             = local.pubsub_agent

  # Google creates the agent with the first use of Pub/Sub.
  depends_on = [google_pubsub_topic.device_messages]
}

# Pub/Sub moves dead letters with its own agent, which publishes them there and acknowledges them here.
resource "google_pubsub_topic_iam_member" "dead_letter_publisher" {
  topic  = google_pubsub_topic.dead_letter.id
  role   = "roles/pubsub.publisher"
  member = local.pubsub_agent
}

resource "google_pubsub_subscription_iam_member" "dead_letter_source" {
  subscription = google_pubsub_subscription.ingest.id
  role         = "roles/pubsub.subscriber"
  member       = local.pubsub_agent
}

# A function that reads the name of the topic sends canaries through it.
resource "google_pubsub_topic_iam_member" "canary" {
  for_each = toset([for name, settings in local.reads : name if contains(settings, "MESSAGES_TOPIC")])

  topic  = google_pubsub_topic.device_messages.id
  role   = "roles/pubsub.publisher"
  member = google_service_account.function[each.key].member
}

resource "google_pubsub_topic_iam_member" "bridge" {
  for_each = toset(var.bridge.publishers)

  topic  = google_pubsub_topic.device_messages.id
  role   = "roles/pubsub.publisher"
  member = each.key
}
