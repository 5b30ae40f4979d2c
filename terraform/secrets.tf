# Secrets by the variable that hands them to a function. Terraform knows their names, never their values (docs/deploy.md).
locals {
  secrets = merge(
    {
      PAGE_TOKEN_KEY = "Signs the page tokens of the API."
      DATA_KEYS      = "Encrypt the secrets of endpoints: id:key pairs, newest first."
      MQTT_URL       = "Broker that /ready checks, with the user and password that it signs in with."
    },
    var.mail == null ? {} : { SMTP_URL = "Mail server with its user and password." },
    var.sms == null ? {} : { SMS_TOKEN = "Auth token of the SMS account." },
  )
}

resource "google_secret_manager_secret" "this" {
  for_each = local.secrets

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
    for name, settings in local.reads : {
      for variable in settings : "${name}-${variable}" => { name = name, variable = variable } if contains(keys(local.secrets), variable)
    }
  ]...)

  secret_id = google_secret_manager_secret.this[each.value.variable].secret_id
  role      = "roles/secretmanager.secretAccessor"
  member    = google_service_account.function[each.value.name].member
}
