resource "google_firestore_database" "main" {
  name                              = var.firestore_database
  location_id                       = var.region
  type                              = "FIRESTORE_NATIVE"
  concurrency_mode                  = "OPTIMISTIC"
  point_in_time_recovery_enablement = local.is_production ? "POINT_IN_TIME_RECOVERY_ENABLED" : "POINT_IN_TIME_RECOVERY_DISABLED"
  delete_protection_state           = local.is_production ? "DELETE_PROTECTION_ENABLED" : "DELETE_PROTECTION_DISABLED"
  deletion_policy                   = local.is_production ? "ABANDON" : "DELETE"

  depends_on = [google_project_service.this]
}

locals {
  # A restored database is named, and neither created nor adopted: the one before it stays as evidence.
  serving_database = coalesce(var.serving_database, google_firestore_database.main.name)
}

resource "google_firestore_backup_schedule" "daily" {
  count = local.is_production ? 1 : 0

  database  = google_firestore_database.main.name
  retention = "1209600s" # 14 days

  daily_recurrence {}
}

# Indexes are defined once, in the file that Firebase's tools and the tests also read.
locals {
  firestore = jsondecode(file("${path.module}/../firestore.indexes.json"))

  indexes = {
    for index in local.firestore.indexes :
    join("-", concat([index.collectionGroup], [for field in index.fields : "${field.fieldPath}.${try(field.order, field.arrayConfig)}"])) => index
  }
  field_overrides = {
    for override in local.firestore.fieldOverrides : "${override.collectionGroup}.${override.fieldPath}" => override
  }
}

resource "google_firestore_index" "this" {
  for_each = local.indexes

  database    = google_firestore_database.main.name
  collection  = each.value.collectionGroup
  query_scope = each.value.queryScope

  dynamic "fields" {
    # Firestore ends every index with the name itself. Naming it here would show a change in every plan.
    for_each = [for field in each.value.fields : field if field.fieldPath != "__name__"]

    content {
      field_path   = fields.value.fieldPath
      order        = try(fields.value.order, null)
      array_config = try(fields.value.arrayConfig, null)
    }
  }
}

# Fields without single-field indexes: times that are written often, long texts, bytes. `ttl` makes Firestore delete the record at that
# time.
resource "google_firestore_field" "this" {
  for_each = local.field_overrides

  database   = google_firestore_database.main.name
  collection = each.value.collectionGroup
  field      = each.value.fieldPath

  index_config {
    dynamic "indexes" {
      for_each = each.value.indexes

      content {
        order        = try(indexes.value.order, null)
        array_config = try(indexes.value.arrayConfig, null)
        query_scope  = indexes.value.queryScope
      }
    }
  }

  dynamic "ttl_config" {
    # What another database replaced is evidence, and forgets nothing.
    for_each = try(each.value.ttl, false) && var.serving_database == null ? [true] : []
    content {}
  }
}

# Only the functions' accounts reach the database. The rules deny everybody else.
resource "google_firebaserules_ruleset" "firestore" {
  source {
    files {
      name    = "firestore.rules"
      content = file("${path.module}/../firestore.rules")
    }
  }

  depends_on = [google_firestore_database.main]
}

resource "google_firebaserules_release" "firestore" {
  name         = local.serving_database == "(default)" ? "cloud.firestore" : "cloud.firestore/${local.serving_database}"
  ruleset_name = google_firebaserules_ruleset.firestore.name
}

# Probes only read. All others that use the database also write. A project can have further databases, such as a restored one that is evidence: the
# condition names the one that the service uses (cloud.google.com/firestore/docs/security/iam, *Conditional access*).
resource "google_project_iam_member" "firestore" {
  for_each = { for name, settings in local.reads : name => settings if contains(settings, "FIRESTORE_DATABASE") }

  project = var.project_id
  role    = each.key == "probes" ? "roles/datastore.viewer" : "roles/datastore.user"
  member  = google_service_account.function[each.key].member

  condition {
    title      = "the database of the service alone"
    expression = "resource.name == \"${local.database}\""
  }
}

locals {
  database = "projects/${var.project_id}/databases/${local.serving_database}"
}
