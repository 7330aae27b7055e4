//! What the doors below share: how to find the built binary and speak its protocol.
