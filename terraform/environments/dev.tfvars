environment = "dev"
project_id  = "watchpost-dev"

auth = { issuers = [{ name = "people", issuer = "https://id.watchpost.dev", audience = "watchpost-dev", sign_in = true }] }

# Small: no load balancer, one queue, one address, one instance kept warm.
deadline_queues  = 1
delivery_queues  = 1
egress_addresses = 1

notify = { emails = ["dev@watchpost.dev"] }
