CREATE TABLE `changes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`device_id` text NOT NULL,
	`fence` integer NOT NULL,
	`kind` text NOT NULL,
	`target` text NOT NULL,
	`before` text,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `changes_once_per_thing` ON `changes` (`device_id`,`kind`,`target`);--> statement-breakpoint
CREATE TABLE `audit` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at_ms` integer NOT NULL,
	`event` text NOT NULL,
	`device_id` text,
	`lease` text,
	`principal` text,
	`by` text,
	`reason` text
);
--> statement-breakpoint
CREATE INDEX `audit_by_age` ON `audit` (`at_ms`);--> statement-breakpoint
CREATE TABLE `presence` (
	`id` integer PRIMARY KEY NOT NULL,
	`alive_at_ms` integer NOT NULL
);
--> statement-breakpoint
DROP INDEX `leases_granted_by_expiry`;--> statement-breakpoint
ALTER TABLE `leases` ADD `session_key` text;--> statement-breakpoint
ALTER TABLE `leases` ADD `priority` text DEFAULT 'normal' NOT NULL;--> statement-breakpoint
ALTER TABLE `leases` ADD `must_end_at_ms` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `leases` ADD `idle_ms` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `leases` ADD `last_control_at_ms` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `leases` ADD `is_used` integer DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE `leases` ADD `heartbeat_ms` integer;--> statement-breakpoint
ALTER TABLE `leases` ADD `end_note` text;--> statement-breakpoint
CREATE UNIQUE INDEX `leases_one_live_per_session_key` ON `leases` (`principal`,`session_key`) WHERE session_key is not null and state in ('granted', 'awaiting_owner');--> statement-breakpoint
CREATE INDEX `leases_live_by_expiry` ON `leases` (`expires_at_ms`) WHERE state in ('granted', 'awaiting_owner');--> statement-breakpoint
CREATE INDEX `leases_by_session_key` ON `leases` (`principal`,`session_key`) WHERE session_key is not null;--> statement-breakpoint
ALTER TABLE `devices` ADD `block_reason` text;--> statement-breakpoint
ALTER TABLE `devices` ADD `block_by` text;--> statement-breakpoint
ALTER TABLE `devices` ADD `block_at_ms` integer;--> statement-breakpoint
ALTER TABLE `devices` ADD `drain_reason` text;--> statement-breakpoint
ALTER TABLE `devices` ADD `drain_by` text;--> statement-breakpoint
ALTER TABLE `devices` ADD `drain_at_ms` integer;--> statement-breakpoint
ALTER TABLE `devices` ADD `drain_deadline_at_ms` integer;--> statement-breakpoint
ALTER TABLE `devices` ADD `failures` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE `leases` SET `last_control_at_ms` = `expires_at_ms` - `ttl_ms`, `idle_ms` = 1800000, `must_end_at_ms` = `expires_at_ms` - `ttl_ms` + 28800000;
