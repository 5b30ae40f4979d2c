variable "name" {
  description = "Name of the function, which is its entry point too."
  type        = string
}

variable "account" {
  description = "Email of the account that it runs as."
  type        = string
}

variable "project_id" {
  type = string
}

variable "region" {
  type = string
}

variable "size" {
  description = "Memory, CPU, requests at once per instance, instances, and the longest a request may take."
  type = object({
    memory          = string
    cpu             = string
    concurrency     = number
    min_instances   = number
    max_instances   = number
    timeout_seconds = number
  })

  validation {
    condition     = var.size.min_instances <= var.size.max_instances
    error_message = "There can be no more instances at least than at most."
  }
}

variable "source_bucket" {
  type = string
}

variable "source_object" {
  description = "Zip of the function in that bucket."
  type        = string
}

variable "build_account" {
  description = "Full name of the account that Cloud Build works with."
  type        = string
}

variable "repository" {
  description = "Full name of the repository that its images go to."
  type        = string
}

variable "environment" {
  description = "Settings by the variable that the code reads."
  type        = map(string)
}

variable "secrets" {
  description = "Secret and version by the variable that the code reads."
  type        = map(object({ secret = string, version = string }))
}

variable "ingress" {
  type = string
}

variable "invokers" {
  description = "Who may call, by a name that is known before the accounts are."
  type        = map(string)
}

variable "network" {
  description = "Network that everything outgoing passes. Null: it leaves from Google's own addresses."
  type        = object({ network = string, subnetwork = string })
}
