CREATE TABLE webhook_nonces (key_hash bytea PRIMARY KEY, expires_at timestamptz NOT NULL, reserved_by bytea NOT NULL);
CREATE INDEX webhook_nonces_expires_at ON webhook_nonces (expires_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON webhook_nonces TO hooks;
