# Secrets by the variable that passes them to a function. Terraform knows their names and never their values (docs/deploy.md).
locals {
  secrets = merge(
    {
      PAGE_TOKEN_KEYS = "Sign the page tokens of the API and the canaries: id:key pairs, the first signs."
      DATA_KEYS       = "Encrypt the secrets of endpoints: id:key pairs, newest first."
      LEDGER_KEYS     = "Sign the checkpoints of the ledger: id:key pairs, newest first."
      MQTT_URL        = "Broker that the sweep sends canaries through, with the user and password of an account that may publish to watchpost/canary alone."
    },
    var.mail == null ? {} : { SMTP_URL = "Mail server with its user and password." },
    var.drill ? { DRILL_TARGETS = "Whom the hourly drill notifies: JSON with emails, phones and chats that nobody reads for alerts." } : {},
    var.heartbeats ? { HEARTBEAT_URLS = "Addresses of a watch of somebody else that get a GET each minute, comma-separated." } : {},
    var.scrape_token ? { METRICS_TOKEN = "Bearer token with which a monitoring system may read /metrics." } : {},
    var.sms == null ? {} : { SMS_TOKEN = "Auth token of the SMS account." },
  )
}

# Secrets of a single function, which replace the others' for that variable. Whoever breaks into the public function gets an account that
# may connect but not publish.
locals {
  own_secrets = {
    probes-MQTT_URL = "Broker that /ready checks, with the user and password of an account that may connect, and neither publish nor subscribe."
  }

  secret_of = {
    for name, settings in local.reads : name => {
      for variable in settings : variable => contains(keys(local.own_secrets), "${name}-${variable}") ? "${name}-${variable}" : variable
      if contains(keys(local.secrets), variable)
    }
  }
}

resource "google_secret_manager_secret" "this" {
  for_each = merge(local.secrets, local.own_secrets)

  secret_id           = lower(replace(each.key, "_", "-"))
  deletion_protection = local.is_production

  annotations = {
    about = each.value
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

# A function that reads a secret's variable may read that secret.
resource "google_secret_manager_secret_iam_member" "function" {
  for_each = merge([
    for name, secrets in local.secret_of : {
      for variable, secret in secrets : "${name}-${variable}" => { name = name, secret = secret }
    }
  ]...)

  secret_id = google_secret_manager_secret.this[each.value.secret].secret_id
  role      = "roles/secretmanager.secretAccessor"
  member    = google_service_account.function[each.value.name].member
}
