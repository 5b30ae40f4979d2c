environment = "staging"
project_id  = "watchpost-staging"
domain      = "staging.watchpost.dev"

auth = { issuers = [{ name = "people", issuer = "https://id.watchpost.dev", audience = "watchpost-staging", sign_in = true }] }
mail = { from = "Watchpost staging <alerts@staging.watchpost.dev>" }

deadline_queues  = 1
delivery_queues  = 2
egress_addresses = 1

notify = { emails = ["operations@watchpost.dev"] }
budget = { billing_account = "000000-000000-000000", amount = 200 }
