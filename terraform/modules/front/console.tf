# The console's files are public, because a page must load before anybody can sign in. They contain no secret.
resource "google_storage_bucket" "console" {
  name                        = "${var.project_id}-console"
  location                    = var.region
  uniform_bucket_level_access = true
  force_destroy               = true # every file comes from the build

  website {
    main_page_suffix = "index.html"
    not_found_page   = "404.html"
  }
}

# Everybody, or only the load balancer where the organisation refuses allUsers.
resource "google_storage_bucket_iam_member" "console_reader" {
  bucket = google_storage_bucket.console.name
  role   = "roles/storage.objectViewer"
  member = var.console_reader
}

locals {
  types = {
    css   = "text/css; charset=utf-8"
    html  = "text/html; charset=utf-8"
    ico   = "image/x-icon"
    js    = "text/javascript; charset=utf-8"
    json  = "application/json"
    map   = "application/json"
    md    = "text/markdown; charset=utf-8"
    png   = "image/png"
    svg   = "image/svg+xml"
    txt   = "text/plain; charset=utf-8"
    woff2 = "font/woff2"

    webmanifest = "application/manifest+json; charset=utf-8"
  }
}

resource "google_storage_bucket_object" "console" {
  for_each = setsubtract(fileset(var.console_files, "**"), ["config.json"])

  bucket         = google_storage_bucket.console.name
  name           = each.key
  source         = "${var.console_files}/${each.key}"
  source_md5hash = filemd5("${var.console_files}/${each.key}")
  content_type   = lookup(local.types, reverse(split(".", each.key))[0], "application/octet-stream")
  # The names of assets contain their hash. The page that refers to them must be fresh.
  cache_control = startswith(each.key, "assets/") ? "public, max-age=31536000, immutable" : "no-cache"
}

resource "google_storage_bucket_object" "config" {
  bucket        = google_storage_bucket.console.name
  name          = "config.json"
  content       = jsonencode(var.console_config)
  content_type  = "application/json"
  cache_control = "no-cache"
}

resource "google_compute_backend_bucket" "console" {
  name        = "front-console"
  bucket_name = google_storage_bucket.console.name
  enable_cdn  = true

  cdn_policy {
    cache_mode         = "USE_ORIGIN_HEADERS"
    negative_caching   = false
    request_coalescing = true
  }

  custom_response_headers = concat(
    ["Content-Security-Policy: ${join("; ", local.policy)}"],
    [for name, value in local.headers : "${name}: ${value}"],
  )
}

# The console's script, style and pictures come from its own origin; beside the API it talks to the issuer, whose hidden frame renews a
# session silently and comes back to the console. The local gateway sends the same.
locals {
  issuer_origin = regex("^https?://[^/]+", var.console_config.issuer)

  policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
    "manifest-src 'self'",
    "connect-src 'self' ${local.issuer_origin}",
    "frame-src 'self' ${local.issuer_origin}",
    "frame-ancestors 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types watchpost-offline",
  ]
  headers = {
    Cross-Origin-Opener-Policy = "same-origin"
    Permissions-Policy         = "camera=(), microphone=(), geolocation=()"
    Referrer-Policy            = "no-referrer"
    Strict-Transport-Security  = "max-age=31536000"
    X-Content-Type-Options     = "nosniff"
  }
}
