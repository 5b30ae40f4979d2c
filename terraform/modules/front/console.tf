# The console's files: public, since a page must load before anybody can sign in; they hold no secret.
resource "google_storage_bucket" "console" {
  name                        = "${var.project_id}-console"
  location                    = var.region
  uniform_bucket_level_access = true
  force_destroy               = true # every file comes from the build

  website {
    main_page_suffix = "index.html"
    not_found_page   = "index.html" # the page finds its own way by the address
  }
}

resource "google_storage_bucket_iam_member" "console_public" {
  bucket = google_storage_bucket.console.name
  role   = "roles/storage.objectViewer"
  member = "allUsers"
}

locals {
  types = {
    css   = "text/css; charset=utf-8"
    html  = "text/html; charset=utf-8"
    ico   = "image/x-icon"
    js    = "text/javascript; charset=utf-8"
    json  = "application/json"
    map   = "application/json"
    png   = "image/png"
    svg   = "image/svg+xml"
    txt   = "text/plain; charset=utf-8"
    woff2 = "font/woff2"
  }
}

resource "google_storage_bucket_object" "console" {
  for_each = setsubtract(fileset(var.console_files, "**"), ["config.json"])

  bucket         = google_storage_bucket.console.name
  name           = each.key
  source         = "${var.console_files}/${each.key}"
  source_md5hash = filemd5("${var.console_files}/${each.key}")
  content_type   = lookup(local.types, reverse(split(".", each.key))[0], "application/octet-stream")
  # The names of assets hold their digest; the page that names them must be fresh.
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

  custom_response_headers = [
    "Content-Security-Policy: default-src 'self'; connect-src 'self' ${var.console_config.issuer}; img-src 'self' data: https:; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'",
    "Strict-Transport-Security: max-age=31536000",
    "X-Content-Type-Options: nosniff",
    "Referrer-Policy: no-referrer",
  ]
}
