# Five functions, each with an account, a size and callers of its own.
locals {
  sizes = {
    # A stream of changes may stay open for an hour.
    api      = { memory = "512Mi", cpu = "1", concurrency = 80, min_instances = local.is_production ? 1 : 0, max_instances = 20, timeout_seconds = 3600 }
    probes   = { memory = "256Mi", cpu = "1", concurrency = 20, min_instances = 0, max_instances = 3, timeout_seconds = 30 }
    ingest   = { memory = "512Mi", cpu = "1", concurrency = 80, min_instances = local.is_production ? 1 : 0, max_instances = 50, timeout_seconds = 60 }
    deadline = { memory = "512Mi", cpu = "1", concurrency = 80, min_instances = 0, max_instances = 20, timeout_seconds = 180 }
    # An attempt may take 30 seconds, and its instance waits rather than works.
    deliver = { memory = "512Mi", cpu = "1", concurrency = 80, min_instances = 0, max_instances = 20, timeout_seconds = 60 }
  }

  callers = {
    ingest   = [google_service_account.push.email]
    deadline = [google_service_account.tasks.email, google_service_account.sweep.email]
    deliver  = [google_service_account.tasks.email]
  }

  # These check bearer tokens, or need none; the others are called by the platform alone.
  public_functions = ["api", "probes"]
  public_ingress   = var.domain != null ? "ALLOW_INTERNAL_AND_GCLB" : "ALLOW_ALL"

  # These call customers, the broker or the issuer: always from the reserved addresses.
  outgoing_functions = ["api", "deadline", "deliver", "probes"]

  # Every setting that a function may be given, secrets aside.
  settings = {
    for name in keys(local.reads) : name => {
      ENVIRONMENT          = var.environment
      GOOGLE_CLOUD_PROJECT = var.project_id
      FIRESTORE_DATABASE   = google_firestore_database.main.name
      TASKS_LOCATION       = var.region
      DEADLINE_QUEUE       = google_cloud_tasks_queue.deadlines.name
      DELIVERY_QUEUES      = tostring(var.delivery_queues)
      DEADLINE_URL         = local.urls.deadline
      DELIVER_URL          = local.urls.deliver
      TASKS_ACCOUNT        = google_service_account.tasks.email
      CALLER_AUDIENCE      = local.urls[name]
      CALLERS              = join(",", lookup(local.callers, name, []))
      BRIDGE_DIALECT       = var.bridge.dialect
      AUTO_REGISTER        = tostring(var.bridge.auto_register)
      AUTH_ISSUER          = var.auth.issuer
      AUTH_AUDIENCE        = var.auth.audience
      AUTH_KEYS_URL        = var.auth.keys_url
      CORS_ORIGINS         = join(",", var.cors_origins)
      CONSOLE_URL          = local.base_url
      EGRESS_RANGES        = jsonencode([{ region = var.region, cidrs = local.egress_cidrs }])
      MESSAGES_TOPIC       = google_pubsub_topic.device_messages.name
      MQTT_URL             = var.mqtt_url
      FRAMES_BUCKET        = google_storage_bucket.frames.name
      MAIL_FROM            = try(var.mail.from, null)
      SMS_ACCOUNT          = try(var.sms.account, null)
      SMS_FROM             = try(var.sms.from, null)
    }
  }

  # Settings that are left to the code's defaults: the zip knows its own version, the platform signs as the code expects, and a channel
  # that is not set up is off.
  left_to_the_code = concat(
    ["SERVICE_VERSION", "CALLER_ISSUER", "CALLER_KEYS_URL", "SMS_URL"],
    var.auth.keys_url == null ? ["AUTH_KEYS_URL"] : [],
    var.mail == null ? ["MAIL_FROM", "SMTP_URL"] : [],
    var.sms == null ? ["SMS_ACCOUNT", "SMS_FROM", "SMS_TOKEN"] : [],
  )

  egress_cidrs = [for address in google_compute_address.egress : "${address.address}/32"]

  zips = { for name in keys(local.reads) : name => "${path.module}/../dist/${name}.zip" }
}

module "function" {
  source   = "./modules/function"
  for_each = local.reads

  name       = each.key
  project_id = var.project_id
  region     = var.region
  size       = merge(local.sizes[each.key], { for key, value in try(var.sizes[each.key], {}) : key => value if value != null })

  source_bucket = google_storage_bucket.sources.name
  source_object = lookup(var.pinned_sources, each.key, google_storage_bucket_object.source[each.key].name)
  build_account = google_service_account.build.name

  environment = {
    for name in each.value : name => local.settings[each.key][name]
    if !contains(concat(keys(local.secrets), local.left_to_the_code), name)
  }
  secrets = {
    for name in each.value : name => {
      secret  = google_secret_manager_secret.this[name].secret_id
      version = lookup(var.secret_versions, name, "latest")
    } if contains(keys(local.secrets), name)
  }

  ingress  = contains(local.public_functions, each.key) ? local.public_ingress : "ALLOW_INTERNAL_ONLY"
  invokers = contains(local.public_functions, each.key) ? { everyone = "allUsers" } : { for index, email in local.callers[each.key] : tostring(index) => "serviceAccount:${email}" }
  network  = contains(local.outgoing_functions, each.key) ? { network = google_compute_network.egress.id, subnetwork = google_compute_subnetwork.egress.id } : null

  depends_on = [google_project_service.this, google_project_iam_member.build]
}

# Objects are named by what they hold, so a build that changes nothing deploys nothing. Without a build a plan still shows; an apply does not pass.
resource "google_storage_bucket_object" "source" {
  for_each = local.zips

  bucket = google_storage_bucket.sources.name
  name   = "${each.key}-${fileexists(each.value) ? filesha256(each.value) : "not-built"}.zip"
  source = each.value
  # Earlier builds stay for `pinned_sources`.
  deletion_policy = "ABANDON"
}

# Cloud Build makes the images of the functions with this account, and with no other right.
resource "google_service_account" "build" {
  account_id   = "function-build"
  display_name = "Cloud Build, when it builds the functions"
}

resource "google_project_iam_member" "build" {
  for_each = toset(["roles/artifactregistry.writer", "roles/logging.logWriter"])

  project = var.project_id
  role    = each.key
  member  = google_service_account.build.member
}

resource "google_storage_bucket_iam_member" "build_sources" {
  bucket = google_storage_bucket.sources.name
  role   = "roles/storage.objectViewer"
  member = google_service_account.build.member
}
