# What must hold of every plan, with a stand-in for the provider: no credentials, no network.
mock_provider "google" {
  mock_data "google_project" {
    defaults = { number = "123456789012" }
  }
}

variables {
  project_id = "watchpost-test"
  auth       = { issuers = [{ name = "people", issuer = "https://id.example.com", audience = "watchpost-test", sign_in = true }] }
  notify     = { emails = ["operations@example.com"] }
}

run "production" {
  command = plan

  variables {
    environment = "production"
    domain      = "watch.example.com"
    mail        = { from = "alerts@example.com" }
    sms         = { account = "AC1", from = "+15005550006" }
  }

  assert {
    condition     = length(distinct([for account in values(google_service_account.function) : account.account_id])) == 5
    error_message = "Each of the five functions must have an account of its own."
  }

  assert {
    condition     = alltrue([for binding in concat(values(google_project_iam_member.firestore), values(google_project_iam_member.build)) : !contains(["roles/owner", "roles/editor", "roles/viewer"], binding.role)])
    error_message = "No account may have a basic role."
  }

  assert {
    condition     = toset(keys(google_project_iam_member.build)) == toset(["roles/logging.logWriter", "roles/storage.objectViewer"]) && google_artifact_registry_repository_iam_member.build.repository == "functions"
    error_message = "The builder must be able to fetch sources from the bucket that Cloud Functions copies them to, to store images and to log."
  }

  assert {
    condition     = google_project_iam_member.build["roles/storage.objectViewer"].condition[0].expression == "resource.type == \"storage.googleapis.com/Object\" && resource.name.startsWith(\"projects/_/buckets/gcf-v2-sources-123456789012-europe-west1/\")"
    error_message = "The builder must read the sources of functions and nothing else: neither exports, frames nor the state of Terraform."
  }

  assert {
    condition     = alltrue([for grant in concat(values(google_project_iam_member.firestore), google_project_iam_member.export) : grant.condition[0].expression == "resource.name == \"projects/watchpost-test/databases/(default)\""])
    error_message = "No right may reach another database of the project."
  }

  assert {
    condition     = google_project_iam_custom_role.signer.permissions == toset(["iam.serviceAccounts.signBlob"]) && google_project_iam_custom_role.exporter[0].permissions == toset(["datastore.databases.export"])
    error_message = "Who signs addresses must get no tokens, and who exports must not import."
  }

  assert {
    condition     = google_storage_bucket_iam_member.frames_write.role == "roles/storage.objectCreator" && length(google_service_account_iam_member.frame_writers) == 0
    error_message = "The account that brings frames may add them and do nothing else; who acts as it is named."
  }

  assert {
    condition     = toset(keys(google_project_iam_audit_config.data_access)) == toset(["datastore.googleapis.com", "secretmanager.googleapis.com", "storage.googleapis.com"])
    error_message = "Reading and writing of data must be audited."
  }

  assert {
    condition     = google_logging_project_bucket_config.region.location == "europe-west1" && google_logging_project_sink.default.name == "_Default"
    error_message = "The log must be kept in the region."
  }

  assert {
    condition     = alltrue([for name, function in module.function : alltrue([for member in values(function.invokers) : startswith(member, "serviceAccount:")]) || contains(["api", "probes"], name)])
    error_message = "Only api and probes may be called by everybody."
  }

  assert {
    condition     = alltrue([for name, function in module.function : function.function.service_config[0].ingress_settings == (contains(["api", "probes"], name) ? "ALLOW_INTERNAL_AND_GCLB" : "ALLOW_INTERNAL_ONLY")])
    error_message = "Functions may be reached from inside only, api and probes by the load balancer too."
  }

  assert {
    condition     = alltrue([for name, function in module.function : toset(concat(keys(function.function.service_config[0].environment_variables), [for secret in function.function.service_config[0].secret_environment_variables : secret.key])) == setunion(["NODE_COMPILE_CACHE", "NODE_ENV"], setsubtract(local.reads[name], ["SERVICE_VERSION", "CALLER_ISSUER", "CALLER_KEYS_URL", "SMS_URL", "DRILL_TARGETS", "HEARTBEAT_URLS", "LEDGER_WITNESSES", "METRICS_TOKEN"]))])
    error_message = "Each function must be given what its code reads and what was compiled ahead, and nothing else."
  }

  assert {
    condition     = alltrue([for function in module.function : function.function.service_config[0].environment_variables["NODE_ENV"] == "production"])
    error_message = "Each function must know that it runs in production: frameworks then answer faults without a stack."
  }

  assert {
    condition     = alltrue([for path in ["/alerts", "/alerts/*", "/webhooks/*"] : [for route in module.front[0].routes : route.route_action[0].url_rewrite[0].path_template_rewrite if route.match_rules[0].path_template_match == path] == ["/index.html"]])
    error_message = "A page of the console must open by its own address."
  }

  assert {
    condition     = alltrue([for prefix in ["/v1", "/v2"] : [for route in module.front[0].routes : route.match_rules[0].ignore_case if route.match_rules[0].prefix_match == prefix] == [true]]) && length([for route in module.front[0].routes : route if route.match_rules[0].full_path_match == "/ready"]) == 1
    error_message = "Every version and spelling of the API's paths must reach the API, and the probes theirs."
  }

  assert {
    condition     = [for name in ["REQUESTS_PER_MINUTE", "WEBHOOK_CHALLENGE"] : module.function["api"].function.service_config[0].environment_variables[name]] == ["600", "off"]
    error_message = "Subjects must be limited, and endpoints need not prove themselves unless it is asked for."
  }

  assert {
    condition     = [for name in ["api", "probes"] : [for each in jsondecode(module.function[name].function.service_config[0].environment_variables["AUTH_ISSUERS"]) : [each.name, each.issuer, each.audience, each.signIn]]] == [for name in ["api", "probes"] : [["people", "https://id.example.com", "watchpost-test", true]]]
    error_message = "The API must accept the issuer's tokens, and the probes ask the same one."
  }

  assert {
    condition     = toset([for name, grant in google_secret_manager_secret_iam_member.function : grant.secret_id if startswith(name, "probes-")]) == toset(["probes-mqtt-url"]) && google_project_iam_member.firestore["probes"].role == "roles/datastore.viewer" && google_storage_bucket_iam_member.frames_exists["probes"].role == "roles/storage.bucketViewer" && !contains(keys(google_storage_bucket_iam_member.frames_read), "probes")
    error_message = "probes, which everybody may call, must read and not write, with a broker account of its own."
  }

  assert {
    condition     = google_storage_bucket.frames.public_access_prevention == "enforced" && google_storage_bucket.frames.uniform_bucket_level_access
    error_message = "No frame may be public."
  }

  assert {
    condition     = alltrue([for name in ["unauthenticated-burst", "forbidden-burst"] : contains(keys(google_monitoring_alert_policy.threshold), name)])
    error_message = "Bursts of 401 and of 403 must be heard."
  }

  assert {
    condition     = startswith(google_monitoring_alert_policy.threshold["dead-letters"].documentation[0].content, "## Dead letters\n") && strcontains(google_monitoring_alert_policy.threshold["dead-letters"].documentation[0].content, "\n1. ") && google_monitoring_alert_policy.threshold["dead-letters"].documentation[0].links[0].url == "https://watch.example.com/docs/runbook#dead-letters"
    error_message = "A policy must carry its section of the runbook, and link to it at the installation itself."
  }

  assert {
    condition     = google_pubsub_subscription.ingest.dead_letter_policy[0].max_delivery_attempts == 100 && google_pubsub_subscription.ingest.retry_policy[0].maximum_backoff == "120s" && google_pubsub_subscription.ingest.enable_message_ordering
    error_message = "Reports must come in order, and go to the dead letters only after more than three hours of tries."
  }

  assert {
    condition     = alltrue([for subscription in [google_pubsub_subscription.ingest, google_pubsub_subscription.dead_letter] : subscription.expiration_policy[0].ttl == ""])
    error_message = "No subscription may expire."
  }

  assert {
    condition     = google_pubsub_subscription.dead_letter.push_config[0].push_endpoint == "https://ingest-123456789012.europe-west1.run.app/dead-letter"
    error_message = "The dead letters must have a reader."
  }

  assert {
    condition     = google_compute_router_nat.egress.nat_ip_allocate_option == "MANUAL_ONLY" && toset([for address in google_compute_address.egress : "${address.region} ${address.name}"]) == toset(["europe-west1 egress-0", "europe-west1 egress-1", "europe-north1 egress-0", "europe-north1 egress-1"])
    error_message = "What leaves must leave from reserved addresses, and as many must stand by in the second region."
  }

  assert {
    condition     = google_logging_project_bucket_config.audit.retention_days == 400 && google_logging_project_sink.audit.filter == "LOG_ID(\"cloudaudit.googleapis.com/data_access\")" && strcontains(google_logging_project_sink.default.filter, "NOT LOG_ID(\"cloudaudit.googleapis.com/data_access\")")
    error_message = "Who read data must be kept for 400 days, and once."
  }

  assert {
    condition     = alltrue([for job in [google_cloud_scheduler_job.export[0].name, google_cloud_scheduler_job.small_export[0].name] : strcontains(google_logging_metric.export_failed.filter, "\"${job}\"")]) && google_monitoring_alert_policy.threshold["export-failed"].severity == "ERROR" && length(google_monitoring_alert_policy.threshold["export-failed"].notification_channels) > 0
    error_message = "Whoever answers for errors must be told of each export that could not be started."
  }

  assert {
    condition     = join(" ", jsondecode(base64decode(google_cloud_scheduler_job.small_export[0].http_target[0].body)).collectionIds) == "devices reportSchedules rules settings teams webhooks" && google_cloud_scheduler_job.small_export[0].schedule == "17 * * * *"
    error_message = "Without the small collections nobody is notified, so they must be copied each hour."
  }

  assert {
    condition     = google_storage_bucket.small_copies[0].versioning[0].enabled && google_storage_bucket.small_copies[0].soft_delete_policy[0].retention_duration_seconds == 0 && one([for rule in google_storage_bucket.small_copies[0].lifecycle_rule : one(rule.condition[*].age)]) == 35
    error_message = "Copies must outlive their deletion, and nothing may stay for longer than the page says."
  }

  assert {
    condition     = tolist(local.outgoing_functions) == tolist(["deliver"]) && module.function["deliver"].function.service_config[0].direct_vpc_egress == "VPC_EGRESS_ALL_TRAFFIC"
    error_message = "What calls customers must leave by the NAT, and nothing else may: a new instance there hears nothing for up to a minute."
  }

  assert {
    condition     = module.function["deliver"].function.service_config[0].min_instance_count == 1
    error_message = "One instance of deliver must be kept warm."
  }

  assert {
    condition     = google_firestore_database.main.delete_protection_state == "DELETE_PROTECTION_ENABLED" && google_firestore_database.main.deletion_policy == "ABANDON" && !google_storage_bucket.frames.force_destroy && alltrue([for secret in google_secret_manager_secret.this : secret.deletion_protection])
    error_message = "Production must be protected from deletion."
  }

  assert {
    condition     = length(module.front) == 1 && output.base_url == "https://watch.example.com"
    error_message = "A domain must be served by the load balancer."
  }

  assert {
    condition     = toset(keys(google_secret_manager_secret.this)) == toset(["DATA_KEYS", "LEDGER_KEYS", "MQTT_URL", "PAGE_TOKEN_KEYS", "SMS_TOKEN", "SMTP_URL", "probes-MQTT_URL"])
    error_message = "Each secret setting must have its secret."
  }

  assert {
    condition     = length([for name in keys(google_monitoring_alert_policy.threshold) : name if strcontains(name, "-latency-")]) == 8
    error_message = "Each latency threshold of each dependency must have its policy."
  }
}

run "a_small_installation" {
  command = plan

  variables {
    environment      = "dev"
    egress_addresses = 1
    delivery_queues  = 1
  }

  assert {
    condition     = sum([for function in values(module.function) : function.function.service_config[0].max_instance_count * tonumber(function.function.service_config[0].available_cpu)]) <= 20
    error_message = "What a new project may use is 20 vCPU in a region."
  }

  assert {
    condition     = [for address in google_compute_address.egress : address.region] == ["europe-west1"] && length(google_cloud_scheduler_job.small_export) == 0
    error_message = "Only production prepares for the loss of its region."
  }

  assert {
    condition     = length(terraform_data.firebase) == 1 && contains(keys(google_project_service.this), "firebasehosting.googleapis.com")
    error_message = "Without a domain Firebase must be added for its Hosting."
  }

  assert {
    condition     = google_firebaserules_release.firestore.name == "cloud.firestore"
    error_message = "The rules must be those of the default database."
  }

  assert {
    condition     = length(module.front) == 0 && output.base_url == "https://watchpost-test.web.app"
    error_message = "Without a domain there is no load balancer to pay for."
  }

  assert {
    condition     = module.function["api"].function.service_config[0].ingress_settings == "ALLOW_ALL"
    error_message = "Without a load balancer the API must be reached by itself."
  }

  assert {
    condition     = toset(keys(google_secret_manager_secret.this)) == toset(["DATA_KEYS", "LEDGER_KEYS", "MQTT_URL", "PAGE_TOKEN_KEYS", "probes-MQTT_URL"])
    error_message = "A channel that is off needs no secret."
  }

  assert {
    condition     = google_firestore_database.main.delete_protection_state == "DELETE_PROTECTION_DISABLED"
    error_message = "A development environment can be thrown away."
  }
}

run "the_way_back" {
  command = plan

  variables {
    environment    = "staging"
    domain         = "staging.example.com"
    pinned_sources = { ingest = "ingest-0123.zip" }
  }

  assert {
    condition     = sum([for function in values(module.function) : function.function.service_config[0].max_instance_count * tonumber(function.function.service_config[0].available_cpu)]) <= 20
    error_message = "What a new project may use is 20 vCPU in a region."
  }

  assert {
    condition     = length(terraform_data.firebase) == 0
    error_message = "Behind a load balancer there is no Firebase."
  }

  assert {
    condition     = module.function["ingest"].function.build_config[0].source[0].storage_source[0].object == "ingest-0123.zip"
    error_message = "A pinned source must be what runs."
  }
}

run "queues_follow_the_instances" {
  command = plan

  variables {
    environment     = "production"
    domain          = "watch.example.com"
    delivery_queues = 64
    sizes           = { deliver = { max_instances = 8, concurrency = 40 }, deadline = { max_instances = 2 } }
  }

  assert {
    condition     = google_cloud_tasks_queue.deliveries[63].rate_limits[0].max_concurrent_dispatches == 5 && google_cloud_tasks_queue.deliveries[63].rate_limits[0].max_dispatches_per_second == 20
    error_message = "All queues together must not dispatch more than 8 instances of 40 places can take."
  }

  assert {
    condition     = google_cloud_tasks_queue.deadlines[0].rate_limits[0].max_concurrent_dispatches == 20 && google_cloud_tasks_queue.deadlines[0].rate_limits[0].max_dispatches_per_second == 80
    error_message = "Tasks must leave half of the places of deadline to the sweep."
  }
}

run "customers_beside_each_other" {
  command = plan

  variables {
    environment = "dev"
    auth = {
      issuers = [
        { name = "people", issuer = "https://id.example.com", audience = "another", groups_claim = "teams", all_groups = "7f3a", sign_in = true },
        { name = "machines", issuer = "https://login.example.com", audience = "yet-another", roles = true },
      ]
      console_scopes = ["api://another/alerts:read"]
    }
    webhook_challenge   = "required"
    requests_per_minute = { subject = 120 }
  }

  assert {
    condition     = [for name in ["REQUESTS_PER_MINUTE", "WEBHOOK_CHALLENGE"] : module.function["api"].function.service_config[0].environment_variables[name]] == ["120", "required"]
    error_message = "What the variables say must reach the API."
  }

  assert {
    condition     = [for each in jsondecode(module.function["api"].function.service_config[0].environment_variables["AUTH_ISSUERS"]) : [each.name, each.groupsClaim, each.allGroups, each.roles, each.signIn]] == [["people", "teams", "7f3a", false, true], ["machines", null, null, true, false]]
    error_message = "Every issuer must reach the API as the variable says it."
  }
}

run "an_audience_must_be_named" {
  command = plan

  variables {
    environment = "dev"
    auth        = { issuers = [{ name = "people", issuer = "https://id.example.com", audience = " ", sign_in = true }] }
  }

  expect_failures = [var.auth]
}

run "people_sign_in_at_exactly_one_issuer" {
  command = plan

  variables {
    environment = "dev"
    auth        = { issuers = [{ name = "people", issuer = "https://id.example.com", audience = "a" }] }
  }

  expect_failures = [var.auth]
}

run "a_challenge_is_off_or_required" {
  command = plan

  variables {
    environment       = "dev"
    webhook_challenge = "sometimes"
  }

  expect_failures = [var.webhook_challenge]
}

run "a_limit_of_nothing_is_refused" {
  command = plan

  variables {
    environment         = "dev"
    requests_per_minute = { subject = 0 }
  }

  expect_failures = [var.requests_per_minute]
}

run "bridges_on_cloud_run" {
  command = plan

  variables {
    environment = "production"
    domain      = "watch.example.com"
    cloud_bridge = {
      image    = "europe-west1-docker.pkg.dev/watchpost-test/bridge/watchpost-bridge@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
      parts    = 2
      files    = ["MQTT_CA_FILE"]
      settings = { MQTT_VERSION = "3.1.1" }
    }
  }

  assert {
    condition     = toset([for service in values(google_cloud_run_v2_service.bridge) : service.name]) == toset(["bridge-1-of-2", "bridge-2-of-2"])
    error_message = "There must be a service for each part."
  }

  assert {
    condition     = alltrue([for service in values(google_cloud_run_v2_service.bridge) : service.template[0].scaling[0].min_instance_count == 1 && service.template[0].scaling[0].max_instance_count == 1 && !service.template[0].containers[0].resources[0].cpu_idle])
    error_message = "A bridge is one instance that always has its CPU: two would take the session from each other, and without CPU it forwards nothing."
  }

  assert {
    condition     = alltrue([for part, service in google_cloud_run_v2_service.bridge : { for env in service.template[0].containers[0].env : env.name => env.value if env.value != null } == { PARTITION = replace(part, "-of-", "/"), GOOGLE_CLOUD_PROJECT = "watchpost-test", MESSAGES_TOPIC = "device-messages", MQTT_VERSION = "3.1.1", MQTT_CA_FILE = "/secrets/MQTT_CA_FILE/pem" }])
    error_message = "Each bridge must forward its own part, and no account may be in its environment."
  }

  assert {
    condition     = toset([for secret in values(google_secret_manager_secret.bridge) : secret.secret_id]) == toset(["bridge-1-of-2-mqtt-url", "bridge-1-of-2-mqtt-ca-file", "bridge-2-of-2-mqtt-url", "bridge-2-of-2-mqtt-ca-file"])
    error_message = "Each bridge must have an account of its own at the broker."
  }

  assert {
    condition     = google_pubsub_topic_iam_member.cloud_bridge[0].role == "roles/pubsub.publisher" && length(google_secret_manager_secret_iam_member.bridge) == 4
    error_message = "The bridge may publish to the topic of the cameras and read its own secrets."
  }

  assert {
    condition     = alltrue([for service in values(google_cloud_run_v2_service.bridge) : service.ingress == "INGRESS_TRAFFIC_INTERNAL_ONLY" && service.template[0].vpc_access[0].egress == "ALL_TRAFFIC"])
    error_message = "Nobody calls a bridge from outside, and it leaves by the reserved addresses."
  }
}

run "no_bridge_unless_it_is_asked_for" {
  command = plan

  variables {
    environment = "dev"
  }

  assert {
    condition     = length(google_cloud_run_v2_service.bridge) + length(google_service_account.bridge) + length(google_secret_manager_secret.bridge) == 0
    error_message = "Without cloud_bridge there must be none."
  }
}

run "a_bridge_by_a_tag_is_refused" {
  command = plan

  variables {
    environment  = "dev"
    cloud_bridge = { image = "europe-west1-docker.pkg.dev/watchpost-test/bridge/watchpost-bridge:latest" }
  }

  expect_failures = [var.cloud_bridge]
}

run "three_bridges_are_refused" {
  command = plan

  variables {
    environment  = "dev"
    cloud_bridge = { image = "europe-west1-docker.pkg.dev/watchpost-test/bridge/watchpost-bridge@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", parts = 3 }
  }

  expect_failures = [var.cloud_bridge]
}

run "a_password_among_the_settings_of_a_bridge_is_refused" {
  command = plan

  variables {
    environment  = "dev"
    cloud_bridge = { image = "europe-west1-docker.pkg.dev/watchpost-test/bridge/watchpost-bridge@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", settings = { MQTT_PASSWORD = "secret" } }
  }

  expect_failures = [var.cloud_bridge]
}

run "an_unknown_dialect_is_refused" {
  command = plan

  variables {
    environment = "dev"
    bridge      = { dialect = "morse" }
  }

  expect_failures = [var.bridge]
}

run "another_database" {
  command = plan

  variables {
    environment        = "production"
    domain             = "watch.example.com"
    firestore_database = "restored-1"
  }

  assert {
    condition     = google_firestore_database.main.name == "restored-1" && google_firestore_backup_schedule.daily[0].database == "restored-1"
    error_message = "The database that is named must be the one that is made and backed up."
  }

  assert {
    condition     = alltrue([for each in concat(values(google_firestore_index.this), values(google_firestore_field.this)) : each.database == "restored-1"])
    error_message = "Its indexes and what it forgets by itself must be those of the code."
  }

  assert {
    condition     = google_firebaserules_release.firestore.name == "cloud.firestore/restored-1"
    error_message = "Its rules must deny all, too."
  }

  assert {
    condition     = alltrue([for name, function in module.function : lookup(function.function.service_config[0].environment_variables, "FIRESTORE_DATABASE", "restored-1") == "restored-1"]) && module.function["api"].function.service_config[0].environment_variables["FIRESTORE_DATABASE"] == "restored-1"
    error_message = "The functions must use the database that is named."
  }
}

run "a_restored_database" {
  command = plan

  variables {
    environment      = "production"
    domain           = "watch.example.com"
    serving_database = "restored-2"
    standstill       = true
  }

  assert {
    condition     = google_firestore_database.main.name == "(default)" && alltrue([for each in concat(values(google_firestore_index.this), values(google_firestore_field.this)) : each.database == "(default)"])
    error_message = "A restored database must be neither created nor adopted."
  }

  assert {
    condition     = alltrue([for each in values(google_firestore_field.this) : length(each.ttl_config) == 0])
    error_message = "The database that it replaced must forget nothing."
  }

  assert {
    condition     = google_firebaserules_release.firestore.name == "cloud.firestore/restored-2" && alltrue([for each in values(google_project_iam_member.firestore) : endswith(each.condition[0].expression, "/databases/restored-2\"")])
    error_message = "Its rules must deny all, and the functions must reach it and no other."
  }

  assert {
    condition     = module.function["api"].function.service_config[0].environment_variables["FIRESTORE_DATABASE"] == "restored-2" && module.function["api"].function.service_config[0].environment_variables["READ_ONLY"] == "true"
    error_message = "The functions must use it, and the API must refuse writes while that is asked for."
  }

  assert {
    condition     = google_cloud_scheduler_job.sweep.paused && alltrue([for each in concat(google_cloud_tasks_queue.deadlines, google_cloud_tasks_queue.deliveries) : each.desired_state == "PAUSED"]) && length(google_pubsub_subscription.ingest.push_config) + length(google_pubsub_subscription.dead_letter.push_config) == 0
    error_message = "While all stands still, neither sweep, queue nor subscription may hand anything to a function."
  }

  assert {
    condition     = endswith(google_cloud_scheduler_job.export[0].http_target[0].uri, "/databases/restored-2:exportDocuments") && endswith(google_cloud_scheduler_job.small_export[0].http_target[0].uri, "/databases/restored-2:exportDocuments")
    error_message = "Both exports must be of the database that serves: the account may export no other."
  }
}

run "an_organisation_without_all_users" {
  command = plan

  variables {
    environment   = "production"
    domain        = "watch.example.com"
    public_access = { functions = "unchecked", console_reader = "serviceAccount:reader@example.iam.gserviceaccount.com" }
  }

  assert {
    condition     = alltrue([for name, function in module.function : !contains(values(function.invokers), "allUsers")]) && toset(keys(terraform_data.unchecked)) == toset(["api", "probes"])
    error_message = "No grant may name allUsers, and Cloud Run must be told not to ask for one."
  }
}

run "frames_of_anybody_are_refused" {
  command = plan

  variables {
    environment   = "dev"
    frame_writers = ["allUsers"]
  }

  expect_failures = [var.frame_writers]
}

run "an_unknown_environment_is_refused" {
  command = plan

  variables {
    environment = "test"
  }

  expect_failures = [var.environment]
}
