# Uptime checks at the contract's intervals: production 30 to 60 s for /health and 1 to 5 min for /ready, staging 1 to 2 and 5 to 10 min,
# development 5 and 15 min; timeouts 5 s and 15 s.
locals {
  probe_periods = {
    dev        = { health = "300s", ready = "900s" }
    staging    = { health = "60s", ready = "300s" }
    production = { health = "60s", ready = "60s" }
  }

  probes = {
    health = { timeout = "5s", body = "healthy" }
    ready  = { timeout = "15s", body = "ready" }
  }
}

resource "google_monitoring_uptime_check_config" "probe" {
  for_each = local.probes

  display_name       = "Watchpost /${each.key}"
  period             = local.probe_periods[var.environment][each.key]
  timeout            = each.value.timeout
  checker_type       = "STATIC_IP_CHECKERS"
  selected_regions   = ["EUROPE", "USA_VIRGINIA", "ASIA_PACIFIC"]
  log_check_failures = true

  monitored_resource {
    type = "uptime_url"
    labels = {
      project_id = var.project_id
      host       = trimprefix(local.base_url, "https://")
    }
  }

  http_check {
    path           = "/${each.key}"
    port           = 443
    use_ssl        = true
    validate_ssl   = true
    request_method = "GET"

    accepted_response_status_codes {
      status_value = 200
    }
  }

  content_matchers {
    matcher = "MATCHES_JSON_PATH"
    content = "\"${each.value.body}\""

    json_path_matcher {
      json_path    = "$.status"
      json_matcher = "EXACT_MATCH"
    }
  }

  depends_on = [google_project_service.this]
}
