module "front" {
  source = "./modules/front"
  count  = var.domain != null ? 1 : 0

  project_id = var.project_id
  region     = var.region
  domain     = var.domain

  functions = {
    api = {
      service             = module.function["api"].function.name
      paths               = ["/metrics", "/mcp"]
      prefixes            = concat([for digit in range(10) : "/v${digit}"], ["/t/"])
      requests_per_minute = var.requests_per_minute.api
    }
    probes = {
      service             = module.function["probes"].function.name
      paths               = ["/health", "/ready"]
      prefixes            = []
      requests_per_minute = var.requests_per_minute.probes
    }
  }

  console_files  = "${path.module}/../console/dist"
  console_pages  = local.vocabulary.console_pages
  console_reader = var.public_access.console_reader
  console_config = merge(
    { issuer = local.sign_in.issuer, clientId = var.auth.client_id, audience = local.sign_in.audience },
    var.auth.console_scopes == null ? {} : { scopes = var.auth.console_scopes },
  )
}
