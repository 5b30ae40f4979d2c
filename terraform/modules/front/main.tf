# One base address: an HTTPS load balancer before the console's bucket and the public functions.
terraform {
  required_providers {
    google = {
      source = "hashicorp/google"
    }
  }
}

resource "google_compute_global_address" "this" {
  name = "front"
}

resource "google_compute_managed_ssl_certificate" "this" {
  name = "front-${substr(sha1(var.domain), 0, 8)}"

  managed {
    domains = [var.domain]
  }

  lifecycle {
    create_before_destroy = true
  }
}

resource "google_compute_ssl_policy" "modern" {
  name            = "front"
  profile         = "MODERN"
  min_tls_version = "TLS_1_2"
}

resource "google_compute_region_network_endpoint_group" "function" {
  for_each = var.functions

  name                  = "front-${each.key}"
  region                = var.region
  network_endpoint_type = "SERVERLESS"

  cloud_run {
    service = each.value.service
  }
}

resource "google_compute_backend_service" "function" {
  for_each = var.functions

  name                  = "front-${each.key}"
  load_balancing_scheme = "EXTERNAL_MANAGED"
  protocol              = "HTTPS"
  security_policy       = google_compute_security_policy.function[each.key].id

  backend {
    group = google_compute_region_network_endpoint_group.function[each.key].id
  }

  log_config {
    enable      = true
    sample_rate = 0.1
  }
}

# An address that sends too many requests gets 429 for a minute.
resource "google_compute_security_policy" "function" {
  for_each = var.functions

  name = "front-${each.key}"

  rule {
    action      = "throttle"
    priority    = 1000
    description = "At most ${each.value.requests_per_minute} requests a minute from one address"

    match {
      versioned_expr = "SRC_IPS_V1"
      config {
        src_ip_ranges = ["*"]
      }
    }

    rate_limit_options {
      conform_action = "allow"
      exceed_action  = "deny(429)"
      enforce_on_key = "IP"

      rate_limit_threshold {
        count        = each.value.requests_per_minute
        interval_sec = 60
      }
    }
  }

  rule {
    action      = "allow"
    priority    = 2147483647
    description = "Every policy ends in a rule for the rest"

    match {
      versioned_expr = "SRC_IPS_V1"
      config {
        src_ip_ranges = ["*"]
      }
    }
  }
}

# Functions by prefix or by whole path, then the pages of the console (`/alerts`, `/alerts/ID`). The bucket answers the rest: its files, or 404.
locals {
  no_route = { function = null, prefix = null, path = null, page = null }
  routes = concat(
    flatten([for name, each in var.functions : [
      [for prefix in each.prefixes : merge(local.no_route, { function = name, prefix = prefix })],
      [for path in each.paths : merge(local.no_route, { function = name, path = path })],
    ]]),
    flatten([for page in var.console_pages : [for path in ["/${page}", "/${page}/*"] : merge(local.no_route, { page = path })]]),
  )
}

resource "google_compute_url_map" "https" {
  name            = "front"
  default_service = google_compute_backend_bucket.console.id

  host_rule {
    hosts        = [var.domain]
    path_matcher = "front"
  }

  path_matcher {
    name            = "front"
    default_service = google_compute_backend_bucket.console.id

    # Prefixes are compared without case, so that `/V1/` and `/v2/` get the API's own problem and never a page.
    dynamic "route_rules" {
      for_each = local.routes

      content {
        priority = route_rules.key + 1
        service  = route_rules.value.function == null ? google_compute_backend_bucket.console.id : google_compute_backend_service.function[route_rules.value.function].id

        match_rules {
          prefix_match        = route_rules.value.prefix
          full_path_match     = route_rules.value.path
          path_template_match = route_rules.value.page
          ignore_case         = route_rules.value.page == null
        }

        # The page finds its own way by the address.
        dynamic "route_action" {
          for_each = route_rules.value.page == null ? [] : ["/index.html"]

          content {
            url_rewrite {
              path_template_rewrite = route_action.value
            }
          }
        }
      }
    }
  }
}

resource "google_compute_target_https_proxy" "this" {
  name             = "front"
  url_map          = google_compute_url_map.https.id
  ssl_certificates = [google_compute_managed_ssl_certificate.this.id]
  ssl_policy       = google_compute_ssl_policy.modern.id
}

resource "google_compute_global_forwarding_rule" "https" {
  name                  = "front-https"
  target                = google_compute_target_https_proxy.this.id
  ip_address            = google_compute_global_address.this.id
  port_range            = "443"
  load_balancing_scheme = "EXTERNAL_MANAGED"
}

resource "google_compute_url_map" "redirect" {
  name = "front-redirect"

  default_url_redirect {
    https_redirect         = true
    redirect_response_code = "MOVED_PERMANENTLY_DEFAULT"
    strip_query            = false
  }
}

resource "google_compute_target_http_proxy" "redirect" {
  name    = "front-redirect"
  url_map = google_compute_url_map.redirect.id
}

resource "google_compute_global_forwarding_rule" "redirect" {
  name                  = "front-redirect"
  target                = google_compute_target_http_proxy.redirect.id
  ip_address            = google_compute_global_address.this.id
  port_range            = "80"
  load_balancing_scheme = "EXTERNAL_MANAGED"
}
