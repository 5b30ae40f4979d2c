variable "project_id" {
  description = "Google Cloud project that holds one environment and nothing else."
  type        = string
}

variable "environment" {
  description = "Which environment this is: rules the probe intervals and what is protected from deletion."
  type        = string

  validation {
    condition     = contains(local.vocabulary.environments, var.environment)
    error_message = "The environment must be one of ${join(", ", local.vocabulary.environments)}."
  }
}

variable "region" {
  description = "Region of everything that has one."
  type        = string
  default     = "europe-west1"
}

variable "recovery" {
  description = "Second region, for exports of the database, the copy of the data keys and standby addresses, and the multi-region that both lie in, as Cloud Storage names it (EU, US, ASIA). people: who may act as the account that reads the copies (members as IAM names them)."
  type = object({
    region   = string
    location = string
    people   = optional(list(string), [])
  })
  default = { region = "europe-north1", location = "EU" }

  validation {
    condition     = var.recovery.region != var.region
    error_message = "The second region must be another than region."
  }
}

variable "domain" {
  description = "Name of the one base address, behind a load balancer. Null: no load balancer; Firebase Hosting serves console and API at PROJECT.web.app."
  type        = string
  default     = null
}

variable "auth" {
  description = "The issuers whose tokens the API accepts (docs/issuers.md says what each member means), each with the audience that its tokens must name (another in each environment, so that a token of one is refused by the others); people sign in to the console at the one with sign_in. Then the console's client id there and the scopes that it asks for, where they are not those of the API by their plain names."
  type = object({
    issuers = list(object({
      name         = string
      issuer       = string
      audience     = string
      keys_url     = optional(string)
      scope_claim  = optional(string)
      groups_claim = optional(string)
      all_groups   = optional(string)
      roles        = optional(bool, false)
      sign_in      = optional(bool, false)
    }))
    client_id      = optional(string, "watchpost-console")
    console_scopes = optional(list(string))
  })

  validation {
    condition     = length(var.auth.issuers) >= 1 && length(var.auth.issuers) <= 4
    error_message = "There must be 1 to 4 issuers."
  }

  validation {
    condition     = length([for each in var.auth.issuers : each if each.sign_in]) == 1
    error_message = "Exactly one issuer must have sign_in = true: people sign in to the console there."
  }

  validation {
    condition     = alltrue([for each in var.auth.issuers : length(trimspace(each.audience)) > 0])
    error_message = "The audience must be named: without it a token for any other service would do."
  }

  validation {
    condition     = alltrue([for each in var.auth.issuers : can(regex("^[a-z][a-z0-9-]{0,31}$", each.name)) && !contains(["user", "system", "device"], each.name)])
    error_message = "The name of an issuer must be small letters, digits and hyphens, and not user, system or device."
  }

  validation {
    condition     = length(distinct(var.auth.issuers[*].name)) == length(var.auth.issuers) && length(distinct(var.auth.issuers[*].issuer)) == length(var.auth.issuers)
    error_message = "Two issuers must have neither one name nor one address."
  }

  validation {
    condition     = alltrue([for each in var.auth.issuers : startswith(each.issuer, "https://") && startswith(coalesce(each.keys_url, "https://"), "https://")])
    error_message = "Issuers must be asked by https://."
  }
}

variable "webhook_challenge" {
  description = "Whether endpoints that tokens limited to groups make, or move to another address, must prove that they want events before they are sent any (docs/webhooks.md): off or required. For installations where customers stand beside each other."
  type        = string
  default     = "off"

  validation {
    condition     = contains(["off", "required"], var.webhook_challenge)
    error_message = "webhook_challenge must be off or required."
  }
}

variable "firestore_database" {
  description = "Name of the Firestore database. Another than (default) is how a project that has one already is used."
  type        = string
  default     = "(default)"

  validation {
    condition     = can(regex("^(\\(default\\)|[a-z][a-z0-9-]{2,61}[a-z0-9])$", var.firestore_database))
    error_message = "The name must be (default), or 4 to 63 lower-case letters, digits and hyphens that begin with a letter."
  }
}

variable "serving_database" {
  description = "Name of a restored database that the functions use instead (docs/recovery.md). It is only named: nothing here creates, changes or deletes it, and its indexes are those that `npm run indexes` made. Null: firestore_database serves."
  type        = string
  default     = null

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{2,61}[a-z0-9]$", coalesce(var.serving_database, "none")))
    error_message = "The name must be 4 to 63 lower-case letters, digits and hyphens that begin with a letter."
  }
}

variable "standstill" {
  description = "While a database is restored (docs/recovery.md): the API refuses every write and stream with 503, and sweep, queues and subscriptions hand nothing to the functions. `npm run restore` sets it in operation.auto.tfvars.json."
  type        = bool
  default     = false
  nullable    = false
}

variable "frame_writers" {
  description = "Who may act as the account that brings frames (docs/deploy.md): members as IAM names them, such as serviceAccount:… or principal://…."
  type        = list(string)
  default     = []

  validation {
    condition     = alltrue([for member in var.frame_writers : !contains(["allUsers", "allAuthenticatedUsers"], member)])
    error_message = "Frames are brought by somebody in particular: not by allUsers or allAuthenticatedUsers."
  }
}

variable "public_access" {
  description = "How everybody reaches what is public, for organisations that refuse grants to allUsers (docs/before-you-begin.md). functions: `grant` (allUsers may invoke) or `unchecked` (Cloud Run asks nobody for a grant). console_reader: who reads the console's bucket."
  type        = object({ functions = optional(string, "grant"), console_reader = optional(string, "allUsers") })
  default     = {}

  validation {
    condition     = contains(["grant", "unchecked"], var.public_access.functions)
    error_message = "Functions are public by `grant` or `unchecked`."
  }
}

variable "bridge" {
  description = "How the broker's bridge writes messages (docs/deploy.md), who may publish to the topic, and whether an unknown device registers itself."
  type = object({
    dialect       = optional(string, "native")
    publishers    = optional(list(string), [])
    auto_register = optional(bool, true)
    # `trust`: a report may name the group of a device that nobody has assigned.
    reported_groups = optional(string, "ignore")
    # `doubt`: people are notified of a drift even if an unsigned guardian reports it as healed.
    unsigned_heals = optional(string, "accept")
  })
  default = {}

  validation {
    condition     = contains(["ignore", "trust"], var.bridge.reported_groups)
    error_message = "reported_groups must be ignore or trust."
  }

  validation {
    condition     = contains(["accept", "doubt"], var.bridge.unsigned_heals)
    error_message = "unsigned_heals must be accept or doubt."
  }

  validation {
    condition     = contains(local.vocabulary.dialects, var.bridge.dialect)
    error_message = "The dialect must be one of ${join(", ", local.vocabulary.dialects)}."
  }
}

variable "cloud_bridge" {
  description = "Our own bridge on Cloud Run (docs/bridge.md). image: by its digest. parts: how many bridges share the devices. files: which of MQTT_CA_FILE, MQTT_CERTIFICATE_FILE and MQTT_KEY_FILE come from secrets. settings: others of the bridge's settings. Null: the bridge runs on a host of yours."
  type = object({
    image    = string
    parts    = optional(number, 1)
    cpu      = optional(string, "1")
    memory   = optional(string, "512Mi")
    files    = optional(set(string), [])
    settings = optional(map(string), {})
  })
  default = null

  validation {
    condition     = can(regex("@sha256:[0-9a-f]{64}$", coalesce(try(var.cloud_bridge.image, null), "@sha256:${sha256("")}")))
    error_message = "The image must be named by its digest, …@sha256:…: a tag can be moved to something else."
  }

  validation {
    condition     = contains([1, 2, 4, 8, 16, 32, 64], try(var.cloud_bridge.parts, 1))
    error_message = "The number of parts must be a power of two, at most 64."
  }

  validation {
    condition     = length(setsubtract(try(var.cloud_bridge.files, []), ["MQTT_CA_FILE", "MQTT_CERTIFICATE_FILE", "MQTT_KEY_FILE"])) == 0
    error_message = "Files are MQTT_CA_FILE, MQTT_CERTIFICATE_FILE and MQTT_KEY_FILE."
  }

  validation {
    condition     = length(setsubtract(keys(try(var.cloud_bridge.settings, {})), local.vocabulary.bridge_settings)) == 0
    error_message = "The settings must be of ${join(", ", local.vocabulary.bridge_settings)}; an account, its password and files come from secrets."
  }
}

variable "cors_origins" {
  description = "Origins of further web pages that may call the API; the console shares the API's own."
  type        = list(string)
  default     = []
}

variable "mail" {
  description = "Email by SMTP: the sender. The server's address is the secret SMTP_URL. Null: no email leaves."
  type        = object({ from = string })
  default     = null
}

variable "sms" {
  description = "SMS by the Twilio Messages API: account and sender. The token is the secret SMS_TOKEN. Null: no SMS leaves."
  type        = object({ account = string, from = string })
  default     = null
}

variable "scrape_token" {
  description = "Whether a monitoring system reads /metrics with a token of its own, the secret METRICS_TOKEN. Without it only tokens of the issuer with the scope metrics:read may."
  type        = bool
  default     = false
}

variable "secret_versions" {
  description = "Version of each secret that the functions read, by the name of its variable, and of the bridges' secrets (`bridge-1-of-1-MQTT_URL`). Naming one makes a rotation a change of revision."
  type        = map(string)
  default     = {}
}

variable "sizes" {
  description = "Differences from the sizes of functions.tf, by function."
  type = map(object({
    memory          = optional(string)
    cpu             = optional(string)
    concurrency     = optional(number)
    min_instances   = optional(number)
    max_instances   = optional(number)
    timeout_seconds = optional(number)
  }))
  default = {}
}

variable "pinned_sources" {
  description = "Objects of the sources bucket to run instead of what dist/ holds, by function: the way back to an earlier build."
  type        = map(string)
  default     = {}
}

variable "deadline_queues" {
  description = "Number of Cloud Tasks queues that wake deadline: each dispatches at most 500 tasks a second."
  type        = number
  default     = 4

  validation {
    condition     = var.deadline_queues >= 1 && var.deadline_queues <= 64
    error_message = "There must be 1 to 64 deadline queues."
  }
}

variable "delivery_queues" {
  description = "Number of Cloud Tasks queues that endpoints are spread over."
  type        = number
  default     = 32

  validation {
    condition     = var.delivery_queues >= 1 && var.delivery_queues <= 64
    error_message = "There must be 1 to 64 delivery queues."
  }
}

variable "egress_addresses" {
  description = "Number of reserved addresses that webhooks leave from, in production as many again in the second region. Lowering it breaks the allowlists of customers."
  type        = number
  default     = 2
}

variable "log_level" {
  description = "`debug` adds a line for each message of a device that was handled. At one message a minute from each camera this is most of the log's price."
  type        = string
  default     = "info"

  validation {
    condition     = contains(["info", "debug"], var.log_level)
    error_message = "The level must be info or debug."
  }
}

variable "egress_check_url" {
  description = "Address that always answers, by any status: where it is silent from the reserved addresses too, no attempt is charged to a customer. Null: only other customers' endpoints tell."
  type        = string
  default     = "https://www.gstatic.com/generate_204"

  validation {
    condition     = var.egress_check_url == null || startswith(coalesce(var.egress_check_url, "-"), "https://")
    error_message = "The address must begin with https://."
  }
}

variable "drill" {
  description = "Whether an alert of our own goes through every hop and channel each hour, to the addresses of the secret drill-targets alone."
  type        = bool
  default     = false
}

variable "ledger_witnesses" {
  description = "Who cosigns the checkpoints of the ledger (C2SP tlog-witness): the key of each and its submission prefix, `name+hash+key@https://…`."
  type        = list(string)
  default     = []

  validation {
    condition     = alltrue([for each in var.ledger_witnesses : can(regex("^[^+@, ]+[+][0-9a-f]{8}[+][A-Za-z0-9+/]+=*@https://[^, ]+$", each))])
    error_message = "Each witness must be name+hash+key@https://…"
  }
}

variable "heartbeats" {
  description = "Whether the addresses of the secret heartbeat-urls get a GET each minute while the platform sees, so that somebody else calls when it stops."
  type        = bool
  default     = false
}

variable "requests_per_minute" {
  description = "Requests a minute before the answer is 429: of one address at the load balancer, for api and probes (a whole office is one address); of one subject (the `sub` of a token) at each instance of the API, a sixth of them at once and a twentieth expensive ones."
  type        = object({ api = optional(number, 6000), probes = optional(number, 120), subject = optional(number, 600) })
  default     = {}

  validation {
    condition     = alltrue([for limit in values(var.requests_per_minute) : limit >= 1 && limit <= 1000000 && floor(limit) == limit])
    error_message = "Limits are whole numbers from 1 to 1,000,000."
  }
}

variable "notify" {
  description = "Who hears of the platform's own trouble: email addresses for everything, existing notification channels (pagers) for what is critical."
  type = object({
    emails = list(string)
    pagers = optional(list(string), [])
  })
}

variable "runbook_url" {
  description = "Where docs/runbook.md can be read by those who are called at night. Null: at the installation itself. Each policy carries its own section, so that nobody needs the link."
  type        = string
  default     = null
}

variable "budget" {
  description = "Billing account and monthly amount in its currency. Null: no budget."
  type        = object({ billing_account = string, amount = number, currency = optional(string, "USD") })
  default     = null
}
