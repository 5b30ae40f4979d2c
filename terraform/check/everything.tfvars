# What production may also have, so that the table of rights in docs/security.md shows all of them.
recovery      = { region = "europe-north1", location = "EU", people = ["user:restores@example.com"] }
frame_writers = ["serviceAccount:gateway@example.iam.gserviceaccount.com"]
bridge        = { publishers = ["serviceAccount:bridge@example.iam.gserviceaccount.com"] }
cloud_bridge  = { image = "europe-west1-docker.pkg.dev/p/bridge/watchpost-bridge@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", parts = 2, files = ["MQTT_CA_FILE"] }
drill         = true
heartbeats    = true
scrape_token  = true
