# Five functions, each with its own account, size and callers.
locals {
  # A new project has a Cloud Run quota of 20 vCPU per region. dev and staging stay below it, with room for a function's next revision beside the
  # present one. Production needs 113 and requests them before its first apply (docs/before-you-begin.md).
  max_instances = {
    dev        = { api = 4, probes = 1, ingest = 5, deadline = 3, deliver = 4 }
    staging    = { api = 4, probes = 1, ingest = 5, deadline = 3, deliver = 4 }
    production = { api = 20, probes = 3, ingest = 50, deadline = 20, deliver = 20 }
  }
  min_instances = {
    api    = local.is_production ? 1 : 0
    probes = 0
    ingest = local.is_production ? 1 : 0
    # Every clock goes through it, and it is the slowest to start.
    deadline = local.is_production ? 1 : 0
    # A new instance has no outbound network through the VPC for 20 to 60 seconds (cloud.google.com/run/docs/configuring/vpc-direct-vpc), so one
    # instance always stays ready.
    deliver = 1
  }
  shapes = {
    # A stream of changes may stay open for an hour.
    api      = { memory = "512Mi", cpu = "1", concurrency = 80, timeout_seconds = 3600 }
    probes   = { memory = "256Mi", cpu = "1", concurrency = 20, timeout_seconds = 30 }
    ingest   = { memory = "512Mi", cpu = "1", concurrency = 80, timeout_seconds = 60 }
    deadline = { memory = "512Mi", cpu = "1", concurrency = 80, timeout_seconds = 180 }
    # An attempt may take 30 seconds, during which its instance mostly waits.
    deliver = { memory = "512Mi", cpu = "1", concurrency = 80, timeout_seconds = 60 }
  }
  sizes = {
    for name, shape in local.shapes : name => merge(
      shape,
      { min_instances = local.min_instances[name], max_instances = local.max_instances[var.environment][name] },
      { for key, value in try(var.sizes[name], {}) : key => value if value != null },
    )
  }

  callers = {
    ingest   = [google_service_account.push.email]
    deadline = [google_service_account.tasks.email, google_service_account.sweep.email]
    deliver  = [google_service_account.tasks.email]
  }

  # These check bearer tokens, or need none. Only the platform calls the others.
  public_functions = ["api", "probes"]
  public_ingress   = var.domain != null ? "ALLOW_INTERNAL_AND_GCLB" : "ALLOW_ALL"

  # Customers allow requests from the reserved addresses, so functions that call them use the VPC. Others reach issuer and broker directly, because a
  # new instance within the VPC gets no answer from outside for 20 to 60 seconds.
  outgoing_functions = ["deliver"]

  # All settings that a function may get, except secrets.
  settings = {
    for name in keys(local.reads) : name => {
      ENVIRONMENT          = var.environment
      GOOGLE_CLOUD_PROJECT = var.project_id
      FIRESTORE_DATABASE   = local.serving_database
      TASKS_LOCATION       = var.region
      DEADLINE_QUEUES      = tostring(var.deadline_queues)
      DELIVERY_QUEUES      = tostring(var.delivery_queues)
      DEADLINE_URL         = local.urls.deadline
      DELIVER_URL          = local.urls.deliver
      TASKS_ACCOUNT        = google_service_account.tasks.email
      CALLER_AUDIENCE      = local.urls[name]
      CALLERS              = join(",", lookup(local.callers, name, []))
      LOG_LEVEL            = var.log_level
      BRIDGE_DIALECT       = var.bridge.dialect
      AUTO_REGISTER        = tostring(var.bridge.auto_register)
      AUTH_ISSUERS = jsonencode([for each in var.auth.issuers : {
        name        = each.name
        issuer      = each.issuer
        audience    = each.audience
        keysUrl     = each.keys_url
        scopeClaim  = each.scope_claim
        groupsClaim = each.groups_claim
        allGroups   = each.all_groups
        roles       = each.roles
        signIn      = each.sign_in
      }])
      REQUESTS_PER_MINUTE = tostring(var.requests_per_minute.subject)
      WEBHOOK_CHALLENGE   = var.webhook_challenge
      TRUSTED_PROXIES     = var.domain != null ? "2" : "1"
      MAX_INSTANCES       = tostring(local.sizes[name].max_instances)
      READ_ONLY           = tostring(var.standstill)
      CORS_ORIGINS        = join(",", var.cors_origins)
      CONSOLE_URL         = local.base_url
      REPORTED_GROUPS     = var.bridge.reported_groups
      UNSIGNED_HEALS      = var.bridge.unsigned_heals
      EGRESS_RANGES       = jsonencode(local.egress_ranges)
      MESSAGES_TOPIC      = google_pubsub_topic.device_messages.name
      EGRESS_CHECK_URL    = var.egress_check_url
      FRAMES_BUCKET       = google_storage_bucket.frames.name
      LEDGER_BUCKET       = google_storage_bucket.ledger.name
      LEDGER_ORIGIN       = "${trimprefix(local.base_url, "https://")}/ledger"
      LEDGER_WITNESSES    = length(var.ledger_witnesses) > 0 ? join(",", var.ledger_witnesses) : null
      MAIL_FROM           = try(var.mail.from, null)
      SMS_ACCOUNT         = try(var.sms.account, null)
      SMS_FROM            = try(var.sms.from, null)
    }
  }

  # Settings that are left to the code's defaults: the zip knows its own version, the platform signs as the code expects, and a channel
  # that is not set up is off.
  left_to_the_code = concat(
    ["SERVICE_VERSION", "CALLER_ISSUER", "CALLER_KEYS_URL", "SMS_URL"],
    var.egress_check_url == null ? ["EGRESS_CHECK_URL"] : [],
    var.drill ? [] : ["DRILL_TARGETS"],
    var.heartbeats ? [] : ["HEARTBEAT_URLS"],
    length(var.ledger_witnesses) > 0 ? [] : ["LEDGER_WITNESSES"],
    var.mail == null ? ["MAIL_FROM", "SMTP_URL"] : [],
    var.scrape_token ? [] : ["METRICS_TOKEN"],
    var.sms == null ? ["SMS_ACCOUNT", "SMS_FROM", "SMS_TOKEN"] : [],
  )

  zips = { for name in keys(local.reads) : name => "${path.module}/../dist/${name}.zip" }
}

module "function" {
  source   = "./modules/function"
  for_each = local.reads

  name       = each.key
  account    = google_service_account.function[each.key].email
  project_id = var.project_id
  region     = var.region
  size       = local.sizes[each.key]

  source_bucket = google_storage_bucket.sources.name
  source_object = lookup(var.pinned_sources, each.key, google_storage_bucket_object.source[each.key].name)
  build_account = google_service_account.build.name
  repository    = google_artifact_registry_repository.functions.id

  environment = {
    for name in each.value : name => local.settings[each.key][name]
    if !contains(concat(keys(local.secrets), local.left_to_the_code), name)
  }
  secrets = {
    for name in each.value : name => {
      secret  = google_secret_manager_secret.this[local.secret_of[each.key][name]].secret_id
      version = lookup(var.secret_versions, local.secret_of[each.key][name], "latest")
    } if contains(keys(local.secrets), name)
  }

  ingress  = contains(local.public_functions, each.key) ? local.public_ingress : "ALLOW_INTERNAL_ONLY"
  invokers = contains(local.public_functions, each.key) ? local.public_invokers : { for index, email in local.callers[each.key] : tostring(index) => "serviceAccount:${email}" }
  network  = contains(local.outgoing_functions, each.key) ? { network = google_compute_network.egress.id, subnetwork = google_compute_subnetwork.egress.id } : null

  # A build and a first start need their grants to be effective and the database indexes to exist.
  depends_on = [google_project_service.this, terraform_data.grants_known, google_firestore_index.this, google_firestore_field.this]
}

# Objects are named by a hash of their content, so a build that changes nothing deploys nothing. Without a build a plan still works, and an
# apply fails.
resource "google_storage_bucket_object" "source" {
  for_each = local.zips

  bucket = google_storage_bucket.sources.name
  name   = "${each.key}-${fileexists(each.value) ? filesha256(each.value) : "not-built"}.zip"
  source = each.value
  # Earlier builds are kept for `pinned_sources`.
  deletion_policy = "ABANDON"
}
