/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.autoconfigure;

import io.ge.redis.core.invocation.GuardConfigurationException;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Shows a wrong annotation or property with its place and the remedy.
 */
class GuardConfigurationFailureAnalyzer extends AbstractFailureAnalyzer<GuardConfigurationException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, GuardConfigurationException cause) {
		String bean = beanName(rootFailure);
		String place = (bean == null || cause.problem().startsWith("Bean '")) ? "" : "Bean '" + bean + "', ";
		return new FailureAnalysis(place + cause.problem(), cause.remedy(), cause);
	}

	private static @Nullable String beanName(Throwable failure) {
		String name = null;
		for (Throwable next = failure; next != null; next = next.getCause()) {
			if (next instanceof BeanCreationException creation && creation.getBeanName() != null) {
				name = creation.getBeanName();
			}
		}
		return name;
	}

}
