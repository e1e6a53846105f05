"""Our node in the DHT and p2p network: records, validation, storage bounds, reachability test."""
