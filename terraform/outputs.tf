output "base_url" {
  description = "Where console, API and probes answer."
  value       = local.base_url
}

output "load_balancer_address" {
  description = "Where the domain's A record must point; null without a domain."
  value       = one(module.front[*].address)
}

output "egress_ranges" {
  description = "Addresses that webhooks come from: what `GET /v1/egress-ranges` answers."
  value       = local.egress_ranges
}

output "topic" {
  description = "Where the bridge publishes."
  value       = google_pubsub_topic.device_messages.id
}

output "bridge_repository" {
  description = "Where the image of the bridge is pushed to; null without `cloud_bridge`."
  value       = one([for each in google_artifact_registry_repository.bridge : "${var.region}-docker.pkg.dev/${var.project_id}/${each.repository_id}"])
}

output "recovery" {
  description = "What `npm run restore` and `npm run indexes` work on."
  value = {
    project          = var.project_id
    region           = var.region
    database         = google_firestore_database.main.name
    serving_database = local.serving_database
    subscriptions = {
      for name, subscription in { ingest = google_pubsub_subscription.ingest, dead_letter = google_pubsub_subscription.dead_letter } :
      subscription.name => { endpoint = local.pushes[name], account = google_service_account.push.email, audience = local.urls.ingest }
    }
    queues   = concat(google_cloud_tasks_queue.deadlines[*].name, google_cloud_tasks_queue.deliveries[*].name)
    sweep    = google_cloud_scheduler_job.sweep.name
    base_url = local.base_url
    # Streams of `api` last longer, but only read.
    longest_call_seconds = max([for name in ["deadline", "deliver", "ingest"] : local.sizes[name].timeout_seconds]...)
  }
}

output "secrets" {
  description = "Secrets that need a version before the functions can start."
  value       = { for name, secret in google_secret_manager_secret.this : name => secret.secret_id }
}

output "sources" {
  description = "The build that each function runs: what `pinned_sources` takes to come back to it."
  value       = { for name, object in google_storage_bucket_object.source : name => lookup(var.pinned_sources, name, object.name) }
}
