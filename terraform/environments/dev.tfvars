environment = "dev"
project_id  = "watchpost-dev"

auth     = { issuer = "https://id.watchpost.dev" }
mqtt_url = "mqtts://broker.dev.watchpost.dev:8883"

# Small: no load balancer, one queue, one address, nothing kept warm.
delivery_queues  = 1
egress_addresses = 1

notify = { emails = ["dev@watchpost.dev"] }
