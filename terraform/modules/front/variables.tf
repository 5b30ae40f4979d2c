variable "project_id" {
  type = string
}

variable "region" {
  type = string
}

variable "domain" {
  description = "Name of the base address."
  type        = string
}

variable "functions" {
  description = "Public functions: their service, the paths they answer and the beginnings of paths, and how many requests a minute one address may make."
  type = map(object({
    service             = string
    paths               = list(string)
    prefixes            = list(string)
    requests_per_minute = number
  }))
}

variable "console_files" {
  description = "Folder of the built console."
  type        = string
}

variable "console_pages" {
  description = "First parts of the paths of its pages."
  type        = list(string)
}

variable "console_reader" {
  description = "Who may read that folder's files in their bucket."
  type        = string
}

variable "console_config" {
  description = "What the console reads at /config.json."
  type        = map(string)
}
