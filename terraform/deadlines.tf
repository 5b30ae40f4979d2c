# Work that is due later: Cloud Tasks wakes deadline and deliver, and Cloud Scheduler starts the sweep, which finds what no task woke.

# The queues together dispatch no more than the instances of their function have places for: what has no place is answered 429 and waits in the
# back-off of its task. Half of the places of deadline are for tasks, because the sweep and the drains of storms need some too. A place that answers
# within 250 ms takes four tasks a second; a queue dispatches at most 500 a second (cloud.google.com/tasks/docs/quotas).
locals {
  places      = { for name in ["deadline", "deliver"] : name => local.sizes[name].max_instances * local.sizes[name].concurrency }
  queue_width = { deadline = max(1, floor(local.places.deadline / 2 / var.deadline_queues)), deliver = max(1, floor(local.places.deliver / var.delivery_queues)) }
  queue_rate  = { for name, width in local.queue_width : name => min(500, 4 * width) }
}

resource "google_cloud_tasks_queue" "deadlines" {
  count = var.deadline_queues

  name     = "deadlines-${count.index}"
  location = var.region

  desired_state = var.standstill ? "PAUSED" : "RUNNING"

  rate_limits {
    max_dispatches_per_second = local.queue_rate.deadline
    max_concurrent_dispatches = local.queue_width.deadline
  }

  # Retries are only for our own errors. The sweep finds tasks that were given up.
  retry_config {
    max_attempts  = 20
    min_backoff   = "1s"
    max_backoff   = "300s"
    max_doublings = 6
  }

  stackdriver_logging_config {
    sampling_ratio = 0.01
  }

  depends_on = [google_project_service.this]
}

resource "google_cloud_tasks_queue" "deliveries" {
  count = var.delivery_queues

  name     = "deliveries-${count.index}"
  location = var.region

  desired_state = var.standstill ? "PAUSED" : "RUNNING"

  rate_limits {
    max_dispatches_per_second = local.queue_rate.deliver
    max_concurrent_dispatches = local.queue_width.deliver
  }

  retry_config {
    max_attempts  = 20
    min_backoff   = "1s"
    max_backoff   = "300s"
    max_doublings = 6
  }

  stackdriver_logging_config {
    sampling_ratio = 0.01
  }

  depends_on = [google_project_service.this]
}

resource "google_service_account" "tasks" {
  account_id   = "tasks-caller"
  display_name = "Cloud Tasks, when it wakes deadline and deliver"
}

resource "google_service_account" "sweep" {
  account_id   = "sweep-caller"
  display_name = "Cloud Scheduler, when it calls the sweep"
}

resource "google_cloud_scheduler_job" "sweep" {
  name             = "sweep"
  region           = var.region
  schedule         = "* * * * *"
  time_zone        = "Etc/UTC"
  attempt_deadline = "180s"
  paused           = var.standstill

  http_target {
    http_method = "POST"
    uri         = "${local.urls.deadline}/sweep"

    oidc_token {
      service_account_email = google_service_account.sweep.email
      audience              = local.urls.deadline
    }
  }

  retry_config {
    retry_count = 0 # the next minute is the retry
  }

  depends_on = [google_project_service.this]
}

# A function that reads the name of a queue may put tasks into it, and sign them as the account that Cloud Tasks calls with.
locals {
  deadline_wakers = toset([for name, settings in local.reads : name if contains(settings, "DEADLINE_QUEUES")])
  delivery_wakers = toset([for name, settings in local.reads : name if contains(settings, "DELIVERY_QUEUES")])
}

resource "google_cloud_tasks_queue_iam_member" "deadlines" {
  for_each = {
    for pair in setproduct(local.deadline_wakers, range(var.deadline_queues)) : "${pair[0]}-${pair[1]}" => { name = pair[0], queue = pair[1] }
  }

  name     = google_cloud_tasks_queue.deadlines[each.value.queue].name
  location = var.region
  role     = "roles/cloudtasks.enqueuer"
  member   = google_service_account.function[each.value.name].member
}

resource "google_cloud_tasks_queue_iam_member" "deliveries" {
  for_each = {
    for pair in setproduct(local.delivery_wakers, range(var.delivery_queues)) : "${pair[0]}-${pair[1]}" => { name = pair[0], queue = pair[1] }
  }

  name     = google_cloud_tasks_queue.deliveries[each.value.queue].name
  location = var.region
  role     = "roles/cloudtasks.enqueuer"
  member   = google_service_account.function[each.value.name].member
}

resource "google_service_account_iam_member" "tasks_user" {
  for_each = setunion(local.deadline_wakers, local.delivery_wakers)

  service_account_id = google_service_account.tasks.name
  role               = "roles/iam.serviceAccountUser"
  member             = google_service_account.function[each.key].member
}
