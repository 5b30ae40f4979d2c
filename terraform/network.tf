# Outbound network: requests to customers' endpoints leave from reserved addresses, which `GET /v1/egress-ranges` publishes.
resource "google_compute_network" "egress" {
  name                    = "egress"
  auto_create_subnetworks = false

  depends_on = [google_project_service.this]
}

resource "google_compute_subnetwork" "egress" {
  name          = "egress"
  region        = var.region
  network       = google_compute_network.egress.id
  ip_cidr_range = "10.8.0.0/22"
  # Google's own services are reached without the NAT, which bills by the gigabyte.
  private_ip_google_access = true
}

# A second protection besides the guard in the code: no private address can be reached from here.
resource "google_compute_firewall" "no_private_targets" {
  name               = "no-private-targets"
  network            = google_compute_network.egress.id
  direction          = "EGRESS"
  destination_ranges = ["10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16"]

  deny {
    protocol = "all"
  }
}

# Production also reserves addresses in the second region and publishes them as `standby`, so that customers allow them before they are needed. They are
# keyed by their region: swapping `region` and `recovery.region` makes no new ones.
locals {
  egress_regions = concat([var.region], local.is_production ? [var.recovery.region] : [])
  egress_places = merge([for region in local.egress_regions : {
    for number in range(var.egress_addresses) : "${region}-${number}" => { region = region, number = number }
  }]...)
  egress_ranges = [for region in local.egress_regions : merge(
    { region = region, cidrs = [for key, place in local.egress_places : "${google_compute_address.egress[key].address}/32" if place.region == region] },
    region == var.region ? {} : { standby = true },
  )]
}

resource "google_compute_address" "egress" {
  for_each = local.egress_places

  name         = "egress-${each.value.number}"
  region       = each.value.region
  address_type = "EXTERNAL"

  depends_on = [google_project_service.this]

  lifecycle {
    # Customers' allowlists contain these addresses.
    prevent_destroy = true
  }
}

resource "google_compute_router" "egress" {
  name    = "egress"
  region  = var.region
  network = google_compute_network.egress.id
}

resource "google_compute_router_nat" "egress" {
  name                                = "egress"
  router                              = google_compute_router.egress.name
  region                              = var.region
  nat_ip_allocate_option              = "MANUAL_ONLY"
  nat_ips                             = [for key, place in local.egress_places : google_compute_address.egress[key].self_link if place.region == var.region]
  source_subnetwork_ip_ranges_to_nat  = "ALL_SUBNETWORKS_ALL_IP_RANGES"
  enable_dynamic_port_allocation      = true
  enable_endpoint_independent_mapping = false
  min_ports_per_vm                    = 64
  max_ports_per_vm                    = 4096

  log_config {
    enable = true
    filter = "ERRORS_ONLY"
  }
}
