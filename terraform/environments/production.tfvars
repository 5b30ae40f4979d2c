environment = "production"
project_id  = "watchpost-production"
domain      = "watchpost.dev"

auth = { issuers = [{ name = "people", issuer = "https://id.watchpost.dev", audience = "watchpost-production", sign_in = true }] }
mail = { from = "Watchpost <alerts@watchpost.dev>" }
sms  = { account = "AC00000000000000000000000000000000", from = "+15005550006" }

notify = { emails = ["operations@watchpost.dev"] }
budget = { billing_account = "000000-000000-000000", amount = 1500 }
