# What production may also have, so that the table of rights in docs/security.md shows all of them.
recovery      = { region = "europe-north1", location = "EU", people = ["user:restores@example.com"] }
frame_writers = ["serviceAccount:gateway@example.iam.gserviceaccount.com"]
bridge        = { publishers = ["serviceAccount:bridge@example.iam.gserviceaccount.com"] }
drill         = true
heartbeats    = true
scrape_token  = true
