CREATE TABLE webhook_nonces (
  key_hash BINARY(32) NOT NULL PRIMARY KEY,
  expires_at DATETIME(6) NOT NULL,
  reserved_by VARBINARY(16) NOT NULL,
  KEY expires_at (expires_at)
) ENGINE = InnoDB;
GRANT SELECT, INSERT, UPDATE, DELETE ON hooks.webhook_nonces TO hooks;
