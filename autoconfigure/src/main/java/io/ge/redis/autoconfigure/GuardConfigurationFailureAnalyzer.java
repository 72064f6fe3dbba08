// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import io.ge.redis.GuardConfigurationException;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.Order;

/**
 * Shows a wrong annotation or property with its place and the remedy. Before the analyzer
 * of Spring Boot for all properties that cannot be bound, which knows no remedy.
 */
@Order(0)
class GuardConfigurationFailureAnalyzer extends AbstractFailureAnalyzer<GuardConfigurationException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, GuardConfigurationException cause) {
		String bean = beanName(rootFailure);
		boolean placed = cause.problem().startsWith("Bean '") || cause.problem().startsWith("ge.redis.");
		String place = (bean == null || placed) ? "" : "Bean '" + bean + "', ";
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
