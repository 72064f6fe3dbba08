/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.actuate;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

import io.ge.redis.broadcast.BroadcastPattern;
import io.ge.redis.broadcast.BroadcastProperties;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;

/**
 * {@code /actuator/geredis/broadcasts}: all channels with their settings, and how many
 * messages were published to the reliable ones.
 */
@RegisterReflectionForBinding(BroadcastsResource.ChannelReport.class)
public class BroadcastsResource implements GuardResource {

	private static final String NAME = "broadcasts";

	private final Supplier<BroadcastPattern> pattern;

	public BroadcastsResource(Supplier<BroadcastPattern> pattern) {
		this.pattern = pattern;
	}

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public Object read(GuardRequest request) {
		request.allowOnly(Set.of());
		if (!request.path().isEmpty()) {
			throw GuardRequestException.notFound("There is nothing below " + NAME + ".", "Leave out the rest.");
		}
		Map<String, ChannelReport> all = new TreeMap<>();
		this.pattern.get().channels().forEach((channel, settings) -> {
			boolean reliable = settings.mode() == BroadcastProperties.Mode.RELIABLE;
			all.put(channel, new ChannelReport(reliable ? this.pattern.get().published(channel) : 0, settings));
		});
		return all;
	}

	/**
	 * A channel.
	 *
	 * @param published how many messages were published, 0 for an ephemeral one
	 * @param settings its settings
	 */
	public record ChannelReport(long published, BroadcastProperties.Channel settings) {
	}

}
