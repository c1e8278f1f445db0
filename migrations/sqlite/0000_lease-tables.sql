CREATE TABLE `devices` (
	`id` text PRIMARY KEY NOT NULL,
	`state` text NOT NULL,
	`fence` integer NOT NULL,
	`reason` text,
	`last_used_at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `leases` (
	`handle` text PRIMARY KEY NOT NULL,
	`device_id` text NOT NULL,
	`boot_id` text NOT NULL,
	`fence` integer NOT NULL,
	`principal` text NOT NULL,
	`state` text NOT NULL,
	`purpose` text,
	`granted_at_ms` integer NOT NULL,
	`ttl_ms` integer NOT NULL,
	`expires_at_ms` integer NOT NULL,
	`end_reason` text,
	`ended_at_ms` integer,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `leases_one_open_per_device` ON `leases` (`device_id`) WHERE state <> 'ended';--> statement-breakpoint
CREATE UNIQUE INDEX `leases_fence_once_per_device` ON `leases` (`device_id`,`fence`);--> statement-breakpoint
CREATE INDEX `leases_granted_by_expiry` ON `leases` (`expires_at_ms`) WHERE state = 'granted';--> statement-breakpoint
CREATE INDEX `leases_ended_by_age` ON `leases` (`ended_at_ms`) WHERE state = 'ended';